"""Who the client is: public clients, known by the exact `client_id` and nothing else (RFC 6749 §2.3, RFC 8252)."""

from __future__ import annotations

from urllib.parse import urlsplit

from .errors import OAuthError
from .forms import invalid, required
from .realm import Realm
from .wire import Request

LOOPBACK = {"127.0.0.1", "::1"}  # "localhost" is not recommended by RFC 8252 §8.3


def identify(realm: Realm, request: Request, form: dict[str, str]) -> str:
    """The client of a request to an endpoint that wants one; a public client that authenticates is refused."""
    if request.value("Authorization") is not None:
        raise OAuthError("invalid_client", "a public client sends no Authorization", status=401,
                         headers=[("WWW-Authenticate", 'Basic realm="strict"')])
    if {"client_secret", "client_assertion", "client_assertion_type"} & set(form):
        raise OAuthError("invalid_client", "a public client has no secret", status=401)
    client_id = required(form, "client_id")
    if client_id not in realm.settings.clients:
        raise OAuthError("invalid_client", "unknown client_id", status=401)
    return client_id


def check_redirect_uri(realm: Realm, client_id: str, redirect_uri: str) -> None:
    """Exact comparison with what is registered, but for a loopback address's port (RFC 8252 §7.3)."""
    registered = realm.settings.clients[client_id]["redirect_uris"]
    if redirect_uri not in registered and _without_loopback_port(redirect_uri) not in registered:
        raise invalid("redirect_uri is not registered")


def _without_loopback_port(uri: str) -> str:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return uri
    if parts.scheme != "http" or parts.hostname not in LOOPBACK or port is None:
        return uri
    # Only the port goes; whatever else the authority holds stays, and fails the comparison.
    return uri.replace(f":{port}/", "/", 1)


def granted_scope(realm: Realm, asked: str | None) -> str | None:
    allowed = realm.settings.scopes
    if asked is not None and allowed is not None and not set(asked.split(" ")) <= set(allowed):
        raise OAuthError("invalid_scope", "a scope that is not offered")
    return asked
