"""Client ids of AT Protocol: the loopback form, which says all in itself, and addresses of hosted metadata."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from strict.clients import LOOPBACK
from strict.errors import OAuthError

ORIGIN = "http://localhost"


@dataclass(frozen=True)
class Client:
    id: str
    redirect_uris: tuple[str, ...]  # loopback ones without the port
    scopes: tuple[str, ...]
    refreshes: bool = True


def bad_client(description: str) -> OAuthError:
    return OAuthError("invalid_client_metadata", description)


def is_loopback_form(client_id: str) -> bool:
    """`http://localhost` with no port; with one it is an address, of which only tests have use."""
    return client_id.startswith(ORIGIN) and client_id[len(ORIGIN):][:1] in ("", "/", "?", "#")


def parse_loopback(client_id: str) -> Client:
    """The client that a loopback client id describes (<https://atproto.com/specs/oauth>, localhost clients).

    Raises OAuthError: `invalid_client_metadata`.
    """
    rest = client_id.removeprefix(ORIGIN).removeprefix("/")
    if rest and not rest.startswith("?"):
        raise bad_client("a loopback client_id has no path and no fragment")
    if "#" in rest:
        raise bad_client("a loopback client_id has no fragment")
    try:
        pairs = parse_qsl(rest[1:], keep_blank_values=True, strict_parsing=True) if rest[1:] else []
    except ValueError:
        raise bad_client("the query of the client_id cannot be read") from None
    redirects, scopes = [], []
    for name, value in pairs:
        if name == "redirect_uri":
            redirects.append(loopback_redirect(value))
        elif name == "scope":
            scopes.append(scope_values(value))
        else:
            raise bad_client(f"{name} has no place in a loopback client_id")
    if len(scopes) > 1:
        raise bad_client("scope is there twice in the client_id")
    return Client(client_id, tuple(redirects) or ("http://127.0.0.1/", "http://[::1]/"),
                  scopes[0] if scopes else ("atproto",))


def loopback_redirect(uri: str) -> str:
    """A declared loopback redirect without its port, which is never compared (RFC 8252 §7.3)."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        raise bad_client("a redirect_uri that is no address") from None
    if parts.hostname == "localhost":
        raise bad_client("localhost is refused as a redirect's host; use 127.0.0.1 or [::1] (RFC 8252 §8.3)")
    if parts.scheme != "http" or parts.hostname not in LOOPBACK:
        raise bad_client("a loopback redirect_uri must be http on 127.0.0.1 or [::1]")
    host = "[::1]" if parts.hostname == "::1" else parts.hostname
    if parts.netloc != (host if port is None else f"{host}:{port}") or "#" in uri:
        raise bad_client("a redirect_uri has no user information and no fragment")
    return f"http://{host}" + uri.removeprefix(f"http://{parts.netloc}")


def scope_values(scope: object) -> tuple[str, ...]:
    if not isinstance(scope, str):
        raise bad_client("scope is missing")
    values = tuple(scope.split(" "))
    if "atproto" not in values or "" in values or len(set(values)) != len(values):
        raise bad_client("scope must hold atproto, and each value once")
    return values
