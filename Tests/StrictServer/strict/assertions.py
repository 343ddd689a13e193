"""Assertions that a client's key signs: its authentication, or a grant of its own (RFC 7523)."""

from __future__ import annotations

from . import jose
from .errors import OAuthError
from .forms import required
from .realm import Realm

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LONGEST = 300  # seconds; RFC 7523 §3 lets a server refuse what is good for unreasonably long


class Refused(Exception):
    """What is wrong with an assertion."""


def granted_client(realm: Realm, form: dict[str, str]) -> str:
    """The client whose assertion is the grant (RFC 7523 §2.1); it authenticates itself by nothing else."""
    if {"client_secret", "client_assertion", "refresh_token"} & set(form):
        raise OAuthError("invalid_request", "an assertion is the grant and the client's authentication")
    try:
        name = verified(realm, required(form, "assertion"), f"{realm.bases['as']}/token")
    except Refused as error:
        raise OAuthError("invalid_grant", str(error)) from None
    if form.get("client_id", name) != name:
        raise OAuthError("invalid_request", "client_id names another client than the assertion")
    return name


def verified(realm: Realm, assertion: str, audience: str) -> str:
    """Verifies an assertion, which counts once, and returns the client that made it (RFC 7523 §3)."""
    try:
        header, claims, signed, signature = jose.split(assertion)
        if header.get("alg") != "ES256":
            raise Refused("alg is not ES256")
        name = claims.get("iss")
        client = realm.settings.clients.get(name) if isinstance(name, str) else None
        if client is None or "key" not in client:
            raise Refused("iss is no client with a key")
        jose.verify_es256(jose.public_key(client["key"]), signed, signature)
    except jose.JOSEError as error:
        raise Refused(str(error)) from None
    jti = claims.get("jti")
    if not isinstance(jti, str) or len(jti) < 16:
        raise Refused("jti is missing or too short for 96 bits")
    with realm.store.lock:
        if f"assertion {jti}" in realm.store.jtis:
            realm.store.counts["jti_replays"] += 1
            raise Refused("jti was used before")
        realm.store.jtis.add(f"assertion {jti}")
    if claims.get("sub") != name:
        raise Refused("sub is not the client")
    if claims.get("aud") != audience:
        raise Refused(f"aud is not exactly {audience}")
    _check_times(realm, claims)
    return name


def _check_times(realm: Realm, claims: dict) -> None:
    iat, exp, now = claims.get("iat"), claims.get("exp"), realm.now()
    if type(iat) is not int or type(exp) is not int:
        raise Refused("iat and exp must be integers")
    if abs(iat - now) > realm.settings.iat_window:
        raise Refused("iat is outside the window")
    if not now < exp <= iat + LONGEST:
        raise Refused("exp is past, or too far away")
