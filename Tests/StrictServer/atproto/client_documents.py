"""Hosted client metadata: fetched as an authorization server does, and checked as AT Protocol asks."""

from __future__ import annotations

import urllib.error
import urllib.request
from urllib.parse import urlsplit

from strict import jose
from strict.clients import LOOPBACK

from .client_ids import Client, bad_client, loopback_redirect, scope_values

MAX_BYTES = 1 << 16


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def fetch(client_id: str) -> dict:
    """The document at `client_id`: https, or for tests http on loopback; exactly 200, JSON, no redirect."""
    parts = urlsplit(client_id)
    loopback = parts.hostname in (*LOOPBACK, "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback) or not parts.path.strip("/"):
        raise bad_client("client_id is neither a loopback client nor the https address of a document")
    request = urllib.request.Request(client_id, headers={"Accept": "application/json"})
    try:
        with _opener.open(request, timeout=10) as answer:
            if answer.status != 200 or answer.headers.get_content_type() != "application/json":
                raise bad_client("client metadata must be 200 and application/json")
            return jose.parse_object(answer.read(MAX_BYTES))
    except (urllib.error.URLError, TimeoutError, jose.JOSEError) as error:
        raise bad_client(f"client metadata cannot be had: {error}") from None


def check(client_id: str, document: dict) -> Client:
    """The client of `document`. Raises OAuthError: `invalid_client_metadata`."""
    if document.get("client_id") != client_id:
        raise bad_client("client_id of the document is not its address")
    kind = document.get("application_type", "web")
    if kind not in ("native", "web"):
        raise bad_client("application_type is neither native nor web")
    if document.get("dpop_bound_access_tokens") is not True:
        raise bad_client("dpop_bound_access_tokens must be true")
    grants = document.get("grant_types")
    if not isinstance(grants, list) or "authorization_code" not in grants:
        raise bad_client("grant_types must hold authorization_code")
    if not set(grants) <= {"authorization_code", "refresh_token"}:
        raise bad_client("a grant type that is not supported")
    if document.get("response_types") != ["code"]:
        raise bad_client("response_types must be code")
    if document.get("token_endpoint_auth_method") != "none":
        raise bad_client("token_endpoint_auth_method must be none for a public client")
    redirects = document.get("redirect_uris")
    if not isinstance(redirects, list) or not redirects:
        raise bad_client("redirect_uris must hold at least one")
    return Client(client_id, tuple(_redirect(client_id, kind, uri) for uri in redirects),
                  scope_values(document.get("scope")), "refresh_token" in grants)


def _redirect(client_id: str, kind: str, uri: object) -> str:
    """`uri` as it is compared: https on the client's own host; for a native client loopback or an app's scheme too."""
    if not isinstance(uri, str):
        raise bad_client("a redirect_uri that is no text")
    scheme, host = uri.partition(":")[0], urlsplit(client_id).hostname or ""
    if scheme == "https":
        if urlsplit(uri).hostname != host:
            raise bad_client("an https redirect_uri must be on the client_id's host")
        return uri
    if kind != "native":
        raise bad_client("a web client redirects to https only")
    if scheme == "http":
        return loopback_redirect(uri)
    path = uri.removeprefix(f"{scheme}:")
    if scheme != ".".join(reversed(host.split("."))) or not path.startswith("/") or path.startswith("//"):
        raise bad_client("an app's scheme is the client_id's host in reverse, with one slash")
    return uri
