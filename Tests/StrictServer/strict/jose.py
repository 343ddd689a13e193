"""Strict JOSE: base64url, JSON without duplicates, P-256 JWKs, ES256 and RFC 7638 thumbprints."""

from __future__ import annotations

import base64
import hashlib
import json
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

_ALPHABET = re.compile(r"[A-Za-z0-9_-]+\Z")


class JOSEError(Exception):
    """What is wrong with a token, in words for the person who reads the test's output."""


def b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def unb64u(text: str) -> bytes:
    """Decodes base64url, and refuses padding, foreign characters and stray bits (RFC 7515 §2)."""
    if not isinstance(text, str) or not _ALPHABET.match(text) or len(text) % 4 == 1:
        raise JOSEError("not base64url without padding")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if b64u(data) != text:
        raise JOSEError("stray bits at the end of base64url")
    return data


def _once(pairs: list) -> dict:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise JOSEError("a JSON member is there twice")
    return dict(pairs)


def parse_object(data: bytes) -> dict:
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except ValueError as error:
        raise JOSEError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise JOSEError("not a JSON object")
    return value


def public_key(jwk: object) -> ec.EllipticCurvePublicKey:
    """The key of a public P-256 JWK of exactly kty, crv, x and y; a private member is an error (RFC 9449 §4.3)."""
    if not isinstance(jwk, dict):
        raise JOSEError("jwk is not an object")
    if "d" in jwk:
        raise JOSEError("jwk holds the private key")
    if set(jwk) != {"kty", "crv", "x", "y"} or jwk["kty"] != "EC" or jwk["crv"] != "P-256":
        raise JOSEError("jwk is not exactly the kty, crv, x, y of a P-256 key")
    x, y = unb64u(jwk["x"]), unb64u(jwk["y"])
    if len(x) != 32 or len(y) != 32:
        raise JOSEError("x and y must be 32 bytes each")
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(x, "big"), int.from_bytes(y, "big"), ec.SECP256R1())
    try:
        return numbers.public_key()
    except ValueError:
        raise JOSEError("jwk is not a point of P-256") from None


def public_jwk(key: ec.EllipticCurvePublicKey) -> dict:
    n = key.public_numbers()
    return {"kty": "EC", "crv": "P-256", "x": b64u(n.x.to_bytes(32, "big")), "y": b64u(n.y.to_bytes(32, "big"))}


def private_jwk(key: ec.EllipticCurvePrivateKey) -> dict:
    d = key.private_numbers().private_value.to_bytes(32, "big")
    return {**public_jwk(key.public_key()), "d": b64u(d)}


def thumbprint(jwk: dict) -> str:
    """RFC 7638: SHA-256 over the required members, in this order, without white space."""
    members = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    return b64u(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode("ascii")).digest())


def split(token: str) -> tuple[dict, dict, bytes, bytes]:
    """Header, claims, what was signed, and the signature of a compact JWS, not yet verified."""
    parts = token.split(".")
    if len(parts) != 3:
        raise JOSEError("not three segments")
    header, claims, signature = (unb64u(part) for part in parts)
    return parse_object(header), parse_object(claims), ".".join(parts[:2]).encode("ascii"), signature


def verify_es256(key: ec.EllipticCurvePublicKey, signed: bytes, signature: bytes) -> None:
    if len(signature) != 64:  # DER is the usual mistake
        raise JOSEError("an ES256 signature is 64 bytes")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise JOSEError("the signature does not match") from None


def sign_es256(key: ec.EllipticCurvePrivateKey, header: dict, claims: dict) -> str:
    signed = ".".join(b64u(json.dumps(part).encode()) for part in (header, claims))
    r, s = decode_dss_signature(key.sign(signed.encode("ascii"), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{b64u(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
