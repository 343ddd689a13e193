"""Registration of clients (RFC 7591), to the letter: native ones, with loopback addresses."""

from __future__ import annotations

import json
import re
import secrets

from strict.errors import NO_STORE, OAuthError
from strict.realm import Realm
from strict.wire import Request, Response, json_response

_REDIRECT = re.compile(r"http://(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?/[A-Za-z0-9._~/-]*\Z")
_METHODS = {"none": None, "client_secret_basic": "basic", "client_secret_post": "post"}


def refused(error: str, description: str) -> OAuthError:
    return OAuthError(error, description)


def registration_endpoint(realm: Realm, request: Request) -> Response:
    media_type = (request.value("Content-Type") or "").partition(";")[0].strip()
    if request.method != "POST" or media_type != "application/json":
        raise refused("invalid_client_metadata", "a registration is a POST of application/json")
    try:
        asked = json.loads(request.body)
    except ValueError:
        raise refused("invalid_client_metadata", "the body is not JSON") from None
    redirects, method = asked.get("redirect_uris"), asked.get("token_endpoint_auth_method", "client_secret_basic")
    if not isinstance(redirects, list) or not redirects or not all(_REDIRECT.match(each) for each in redirects):
        raise refused("invalid_redirect_uri", "redirect_uris are loopback addresses")
    if method not in _METHODS:
        raise refused("invalid_client_metadata", f"no such method: {method}")
    if "authorization_code" in asked.get("grant_types", []) and "code" not in asked.get("response_types", ["code"]):
        raise refused("invalid_client_metadata", "grant_types and response_types differ")
    name, client = f"client-{secrets.token_hex(8)}", {"redirect_uris": [_without_port(each) for each in redirects]}
    answer = {**asked, "client_id": name}
    if _METHODS[method] is not None:
        client |= {"secret": secrets.token_urlsafe(24), "auth": _METHODS[method]}
        answer |= {"client_secret": realm.store.remember_secret("client_secret", client["secret"]),
                   "client_secret_expires_at": 0}
    realm.settings.clients = {**realm.settings.clients, name: client}
    return json_response(201, answer, NO_STORE)


def _without_port(uri: str) -> str:
    return re.sub(r":\d+/", "/", uri, count=1)
