"""Who the client is: a public one by its exact `client_id` (RFC 8252), a confidential one by its secret (RFC 6749 §2.3) or
its key (RFC 7523 §2.2)."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from urllib.parse import unquote_to_bytes, urlsplit

from . import assertions, exchange
from .errors import OAuthError
from .forms import invalid, required
from .realm import Realm
from .wire import Request

LOOPBACK = {"127.0.0.1", "::1"}  # "localhost" is not recommended by RFC 8252 §8.3


# RFC 6749 §2.3.1 and appendix B: what is not escaped in the parts of Basic credentials.
_ENCODED = re.compile(r"(?:[A-Za-z0-9*._~+-]|%[0-9A-Fa-f]{2})*\Z")


def identify(realm: Realm, request: Request, form: dict[str, str]) -> str:
    """The client of a request to an endpoint that wants one.

    A client authenticates itself in the one way that it is registered with; a public client that does is refused.
    """
    name = _basic_name(request) or form.get("client_id", "")
    client = realm.settings.clients.get(name)
    if client is not None and "secret" in client:
        return _confidential(realm, request, form, name, client)
    if client is not None and "key" in client:
        return _by_assertion(realm, request, form)
    if client is not None and "platform" in client:
        return _by_platform(realm, request, form, name, client)
    return _public(realm, request, form)


def _refused(description: str) -> OAuthError:
    return OAuthError("invalid_client", description, status=401,
                      headers=[("WWW-Authenticate", 'Basic realm="strict"')])


def _basic(request: Request) -> tuple[str, str] | None:
    """The two parts of Basic credentials; a colon, a blank or any other special character in them is escaped."""
    value = request.value("Authorization")
    if value is None or not value.startswith("Basic "):
        return None
    try:
        text = base64.b64decode(value.removeprefix("Basic "), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        raise _refused("the credentials are not base64 of ASCII") from None
    name, colon, secret = text.partition(":")
    if not colon or not _ENCODED.match(name) or not _ENCODED.match(secret):
        raise _refused("the credentials are not form-encoded")
    return tuple(unquote_to_bytes(part.replace("+", " ")).decode("utf-8", "replace") for part in (name, secret))


def _basic_name(request: Request) -> str | None:
    credentials = _basic(request)
    return credentials[0] if credentials else None


def _confidential(realm: Realm, request: Request, form: dict[str, str], name: str, client: dict) -> str:
    credentials, posted = _basic(request), form.get("client_secret")
    if (credentials is not None) + (posted is not None) + ("client_assertion" in form) != 1:
        raise _refused("one method of authentication, no more and no less (RFC 6749 §2.3)")
    if client.get("auth", "basic") == "basic":
        secret = credentials[1] if credentials else None
    else:
        secret = posted
    if secret is None or not hmac.compare_digest(secret.encode(), client["secret"].encode()):
        raise _refused("the secret is missing, wrong, or sent in another way")
    if form.get("client_id", name) != name:
        raise _refused("client_id names another client")
    with realm.store.lock:
        realm.store.remember_secret("client_secret", client["secret"])
    return name


def _by_assertion(realm: Realm, request: Request, form: dict[str, str]) -> str:
    """An assertion for the issuer at every endpoint (FAPI 2.0, 5.3.3), or for the token endpoint, as older servers want it."""
    if request.value("Authorization") is not None or "client_secret" in form:
        raise _refused("one method of authentication, no more and no less (RFC 6749 §2.3)")
    if form.get("client_assertion_type") != assertions.TYPE:
        raise _refused("client_assertion_type is missing or another one")
    audience = {"issuer": realm.issuer, "token": f"{realm.bases['as']}/token"}[realm.settings.assertion_audience]
    try:
        name = assertions.verified(realm, required(form, "client_assertion"), audience)
    except assertions.Refused as error:
        raise _refused(str(error)) from None
    # The form has one: by it the client was found (RFC 7521 §4.2 would let an assertion do).
    if form["client_id"] != name:
        raise _refused("client_id names another client")
    return name


def _by_platform(realm: Realm, request: Request, form: dict[str, str], name: str, client: dict) -> str:
    """A JWT that the client's platform signed, about this client (RFC 7523 §2.2); it may be sent more than once."""
    if request.value("Authorization") is not None or "client_secret" in form:
        raise _refused("one method of authentication, no more and no less (RFC 6749 §2.3)")
    if form.get("client_assertion_type") != assertions.TYPE:
        raise _refused("client_assertion_type is missing or another one")
    if exchange.verified(realm, required(form, "client_assertion"))["sub"] != client["platform"]:
        raise _refused("the platform's token is about another client")
    return name


def is_confidential(realm: Realm, client_id: str) -> bool:
    return bool({"secret", "key", "platform"} & set(realm.settings.clients[client_id]))


def _public(realm: Realm, request: Request, form: dict[str, str]) -> str:
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
    hosts = LOOPBACK | ({"localhost"} if realm.settings.loopback_names else set())
    if redirect_uri not in registered and _without_loopback_port(redirect_uri, hosts) not in registered:
        raise invalid("redirect_uri is not registered")


def _without_loopback_port(uri: str, hosts: set[str]) -> str:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return uri
    if parts.scheme != "http" or parts.hostname not in hosts or port is None:
        return uri
    # Only the port goes; whatever else the authority holds stays, and fails the comparison.
    return uri.replace(f":{port}/", "/", 1) if parts.path else uri.removesuffix(f":{port}")


def granted_scope(realm: Realm, asked: str | None) -> str | None:
    allowed = realm.settings.scopes
    if asked is not None and allowed is not None and not set(asked.split(" ")) <= set(allowed):
        raise OAuthError("invalid_scope", "a scope that is not offered")
    return asked
