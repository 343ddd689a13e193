"""Making access and refresh tokens for a session."""

from __future__ import annotations

import secrets
import time

from . import jose
from .realm import Realm
from .store import AccessToken, RefreshToken, Session, digest


def new_access_token(realm: Realm, session: Session, lifetime: float, form: str | None = None) -> str:
    """An access token that works for `lifetime` seconds, even when that is less than none."""
    now = realm.now()
    if (form or realm.settings.token_format) == "jwt":
        token = _jwt(realm, session, now, now + lifetime)
    else:
        token = "at-" + secrets.token_urlsafe(32)
    with realm.store.lock:
        realm.store.access[digest(token)] = AccessToken(session, now + lifetime)
        return realm.store.remember_secret("access_token", token)


def _jwt(realm: Realm, session: Session, now: float, expires_at: float) -> str:
    claims = {"iss": realm.issuer, "sub": session.sub, "aud": realm.bases["rs"], "client_id": session.client_id,
              "iat": int(now), "jti": secrets.token_urlsafe(12)}
    match realm.settings.jwt_exp:
        case "integer":
            claims["exp"] = int(expires_at)
        case "float":
            claims["exp"] = expires_at
        case "string":  # wrong, but seen
            claims["exp"] = str(int(expires_at))
    if session.scope is not None:
        claims["scope"] = session.scope
    if session.jkt is not None:
        claims["cnf"] = {"jkt": session.jkt}
    return jose.sign_es256(realm.key, {"typ": "at+jwt", "alg": "ES256", "kid": "strict"}, claims)


def new_refresh_token(realm: Realm, session: Session) -> str:
    return adopt_refresh_token(realm, session, "rt-" + secrets.token_urlsafe(32))


def adopt_refresh_token(realm: Realm, session: Session, token: str) -> str:
    """Makes a token one that renews the session."""
    with realm.store.lock:
        realm.store.refresh[digest(token)] = RefreshToken(session)
        return realm.store.remember_secret("refresh_token", token)


def token_response(realm: Realm, session: Session, with_refresh: bool) -> dict:
    settings = realm.settings
    token_type = "DPoP" if session.jkt else "Bearer"
    answer = {"access_token": new_access_token(realm, session, settings.lifetime),
              "token_type": token_type.lower() if settings.lowercase_token_type else token_type}
    if settings.expires_in is not None:
        answer["expires_in"] = settings.lifetime if settings.expires_in == "lifetime" else settings.expires_in
    if with_refresh:
        answer["refresh_token"] = new_refresh_token(realm, session)
    if session.scope is not None:
        answer["scope"] = session.scope
    if settings.sub_in_response:
        answer["sub"] = session.sub
    return answer


def handoff(realm: Realm, session: Session, lifetime: float, said: object, form: str | None) -> dict:
    """A session as a file that a client can import: the token response, and whose it is."""
    answer = {"access_token": new_access_token(realm, session, lifetime, form),
              "token_type": "DPoP" if session.jkt else "Bearer",
              "refresh_token": new_refresh_token(realm, session),
              "issuer": realm.issuer, "clientId": session.client_id, "origins": [realm.bases["rs"]],
              "sub": session.sub}
    if said is not None:
        answer["expires_in"] = said
        if isinstance(said, (int, float)):
            answer["expiresAt"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(realm.now() + said))
    if session.scope is not None:
        answer["scope"] = session.scope
    return answer
