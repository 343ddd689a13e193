"""The resource server: 200 for the right token with the right proof, else 401 (RFC 6750, RFC 9449 §7)."""

from __future__ import annotations

import re

from . import dpop
from .errors import OAuthError
from .realm import Realm
from .store import AccessToken, digest
from .wire import Request, Response, json_response

_CREDENTIALS = re.compile(r"(\S+) ([\x21-\x7e]+)\Z")


def resource_endpoint(realm: Realm, request: Request) -> Response:
    values = request.values("Authorization")
    if not values:
        raise OAuthError("", "", status=401, violation=False)
    match = _CREDENTIALS.match(values[0])
    if len(values) != 1 or match is None:
        raise OAuthError("invalid_request", "not one scheme, one space and one token", status=401)
    scheme, token = match.groups()
    if any(name == "access_token" for name, _ in request.query):
        raise OAuthError("invalid_request", "a token in the query", status=401)
    access = _lookup(realm, token)
    jkt = access.session.jkt
    if scheme.lower() != ("bearer" if jkt is None else "dpop"):
        raise OAuthError("invalid_token", "the scheme does not fit the token", status=401)
    if jkt is None:
        if request.values("DPoP"):
            raise OAuthError("invalid_request", "a proof with a bearer token", status=401)
    elif _proof(realm, request, token) != jkt:
        raise OAuthError("invalid_token", "Invalid DPoP key binding", status=401)
    realm.store.counts["resources"] += 1
    return json_response(200, {"sub": access.session.sub}, list(realm.settings.resource_headers.items()))


def _lookup(realm: Realm, token: str) -> AccessToken:
    access = realm.store.access.get(digest(token))
    if access is None:
        raise OAuthError("invalid_token", "unknown token", status=401)
    if access.revoked or access.session.ended is not None:
        raise OAuthError("invalid_token", "the token was revoked", status=401, violation=False)
    if access.expires_at <= realm.now():
        raise OAuthError("invalid_token", "the token has expired", status=401, violation=False)
    return access


def _proof(realm: Realm, request: Request, token: str) -> str:
    try:
        return dpop.thumbprint_of_proof(realm, request, access_token=token)
    except OAuthError as error:
        error.status = 401
        raise


def challenge_scheme(realm: Realm) -> str:
    return "Bearer" if realm.settings.dpop == "off" else "DPoP"


def metadata_path(realm: Realm) -> str | None:
    """Where the resource is described: at a place that only its challenge names, or at the well-known one."""
    return {"challenge": "/described", "well-known": "/.well-known/oauth-protected-resource/resource"}.get(
        realm.settings.resource_metadata)


def metadata_address(realm: Realm) -> str | None:
    return realm.bases["rs"] + "/described" if realm.settings.resource_metadata == "challenge" else None


def metadata_endpoint(realm: Realm, request: Request) -> Response:
    """The resource's description (RFC 9728 §2)."""
    return json_response(200, {"resource": realm.bases["rs"] + "/resource", "authorization_servers": [realm.issuer]})
