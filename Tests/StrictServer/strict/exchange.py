"""Tokens of a platform that this server trusts: exchanged for its own (RFC 8693), or as an assertion (RFC 7523)."""

from __future__ import annotations

import secrets

from . import jose
from .errors import OAuthError
from .forms import required
from .realm import Realm
from .wire import Request

GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
JWT = "urn:ietf:params:oauth:token-type:jwt"
ACCESS = "urn:ietf:params:oauth:token-type:access_token"
PLATFORM = "https://platform.example"


def platform_token(realm: Realm, request: Request, value: dict | None) -> object:
    """Control: a token of the platform for this server, for `lifetime` seconds, with `claims` changed."""
    value = value or {}
    now = int(realm.now())
    claims = {"iss": PLATFORM, "sub": "job-1", "aud": realm.issuer, "iat": now,
              "exp": now + value.get("lifetime", 600), "jti": secrets.token_urlsafe(12), **value.get("claims", {})}
    token = jose.sign_es256(realm.platform, {"typ": "JWT", "alg": "ES256"}, claims)
    with realm.store.lock:
        return {"token": realm.store.remember_secret("platform_token", token)}


def verified(realm: Realm, token: str) -> dict:
    """The claims of a token that the platform signed for this server, and that has not ended."""
    try:
        header, claims, signed, signature = jose.split(token)
        if header.get("alg") != "ES256":
            raise jose.JOSEError("alg is not ES256")
        jose.verify_es256(realm.platform.public_key(), signed, signature)
    except jose.JOSEError as error:
        raise OAuthError("invalid_request", f"the platform's token: {error}") from None
    if claims.get("iss") != PLATFORM or claims.get("aud") != realm.issuer:
        raise OAuthError("invalid_request", "the platform's token is of another issuer, or for another server")
    if not isinstance(claims.get("exp"), int) or claims["exp"] <= realm.now():
        raise OAuthError("invalid_request", "the platform's token has ended", violation=True)
    return claims


def subject(realm: Realm, form: dict[str, str]) -> str:
    """Whom the exchanged token is about (RFC 8693 §2.1)."""
    if {"assertion", "refresh_token", "actor_token"} & set(form):
        raise OAuthError("invalid_request", "an exchange has a subject token and nothing like it")
    if required(form, "subject_token_type") != JWT:
        raise OAuthError("invalid_request", "the platform's tokens are JWTs")
    if form.get("requested_token_type", ACCESS) != ACCESS:
        raise OAuthError("invalid_request", "access tokens only")
    return verified(realm, required(form, "subject_token"))["sub"]
