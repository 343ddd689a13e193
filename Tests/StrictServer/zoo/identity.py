"""Who has signed in: the userinfo, introspection (RFC 7662) and ID tokens of a server."""

from __future__ import annotations

import time

from strict import clients, jose, resource
from strict.errors import NO_STORE, OAuthError
from strict.forms import read_form, required
from strict.realm import Realm
from strict.store import Session, digest
from strict.wire import Request, Response, json_response


def userinfo_endpoint(realm: Realm, request: Request) -> Response:
    """Its requests are those of any resource."""
    return resource.resource_endpoint(realm, request)


def introspection_endpoint(realm: Realm, request: Request) -> Response:
    form = read_form(request)
    client_id = clients.identify(realm, request, form)
    access = realm.store.access.get(digest(required(form, "token")))
    if access is None:
        refresh = realm.store.refresh.get(digest(form["token"]))
        return json_response(200, {"active": refresh is not None and not refresh.used}, NO_STORE)
    if access.session.client_id != client_id:
        raise OAuthError("invalid_client", "another client's token", status=401)
    if access.revoked or access.session.ended is not None or access.expires_at <= realm.now():
        return json_response(200, {"active": False}, NO_STORE)
    answer = {"active": True, "sub": access.session.sub, "client_id": client_id, "exp": int(access.expires_at)}
    return json_response(200, answer | ({"scope": access.session.scope} if access.session.scope else {}), NO_STORE)


def id_token(realm: Realm, session: Session, nonce: str | None, claims: dict) -> str:
    now = int(time.time())
    told = {"iss": realm.issuer, "aud": session.client_id, "sub": session.sub, "iat": now, "exp": now + 3600,
            **({"nonce": nonce} if nonce else {}), **claims}
    return jose.sign_es256(realm.key, {"typ": "JWT", "alg": "ES256", "kid": "strict"}, told)
