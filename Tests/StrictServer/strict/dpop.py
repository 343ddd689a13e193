"""Verification of DPoP proofs, every check of RFC 9449 §4.3 and the stricter rules of the project."""

from __future__ import annotations

import hashlib

from . import jose
from .errors import OAuthError
from .realm import Realm
from .wire import Request

CLAIMS = {"jti", "htm", "htu", "iat", "nonce", "ath"}


def bad(description: str) -> OAuthError:
    return OAuthError("invalid_dpop_proof", description)


def thumbprint_of_proof(realm: Realm, request: Request, access_token: str | None = None) -> str:
    """Verifies the one DPoP header of `request`, and returns its key's thumbprint.

    With an `access_token` it is a resource server's check, which wants `ath`; without, an authorization
    server's, which refuses it. Raises OAuthError: `invalid_dpop_proof` or `use_dpop_nonce`.
    """
    proofs = request.values("DPoP")
    if len(proofs) != 1:
        raise bad(f"{len(proofs)} DPoP headers, not one")
    try:
        header, claims, signed, signature = jose.split(proofs[0])
        if set(header) != {"typ", "alg", "jwk"}:
            raise bad("the header must be typ, alg and jwk")
        if header["typ"] != "dpop+jwt":
            raise bad("typ is not dpop+jwt")
        if header["alg"] != "ES256":
            raise bad("alg is not ES256")
        jose.verify_es256(jose.public_key(header["jwk"]), signed, signature)
    except jose.JOSEError as error:
        raise bad(str(error)) from None

    # From here on the proof is the client's own. Its jti is spent even if another check fails: a retry needs a new one.
    _spend_jti(realm, claims.get("jti"))
    if not set(claims) <= CLAIMS:
        raise bad(f"claims that have no place here: {sorted(set(claims) - CLAIMS)}")
    if claims.get("htm") != request.method:
        raise bad(f"htm is not {request.method}")
    if claims.get("htu") != request.base + request.path:
        raise bad(f"htu is not exactly {request.base + request.path}")
    _check_ath(claims, access_token)
    _check_nonce(realm, request, claims)
    iat = claims.get("iat")
    if type(iat) is not int:
        raise bad("iat is not an integer")
    if abs(iat - realm.now()) > realm.settings.iat_window:
        raise bad("iat is outside the window")
    return jose.thumbprint(header["jwk"])


def _spend_jti(realm: Realm, jti: object) -> None:
    # 96 bits are 16 characters of base64url; anything shorter cannot hold them.
    if not isinstance(jti, str) or len(jti) < 16:
        raise bad("jti is missing or too short for 96 bits")
    with realm.store.lock:
        if jti in realm.store.jtis:
            realm.store.counts["jti_replays"] += 1
            raise bad("jti was used before")
        realm.store.jtis.add(jti)


def _check_ath(claims: dict, access_token: str | None) -> None:
    if access_token is None:
        if "ath" in claims:
            raise bad("ath has no place at an authorization server")
    elif claims.get("ath") != jose.b64u(hashlib.sha256(access_token.encode("latin-1")).digest()):
        raise bad("ath is missing or is not of this access token")


def _check_nonce(realm: Realm, request: Request, claims: dict) -> None:
    book = realm.nonces[request.origin]
    nonce = claims.get("nonce")
    if isinstance(nonce, str) and any(nonce.startswith(f"{name}-") for name in realm.nonces if name != request.origin):
        raise bad("the nonce is another origin's")
    if realm.nonce_required(request.origin) and not (isinstance(nonce, str) and book.accepts(nonce)):
        raise nonce_challenge(realm)


def nonce_challenge(realm: Realm) -> OAuthError:
    realm.store.counts["nonce_challenges"] += 1
    return OAuthError("use_dpop_nonce", "a nonce of this server is required", violation=False)
