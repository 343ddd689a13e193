"""P-256 keys and ES256 signatures by Python's `cryptography`: nothing here is acct's."""
import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64url_decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64url_json(value):
    return b64url(json.dumps(value, separators=(",", ":")).encode())


class Key:
    """A P-256 key: a new one, or the one of a private JWK."""

    def __init__(self, jwk=None):
        self.private = (
            ec.derive_private_key(int.from_bytes(b64url_decode(jwk["d"]), "big"), ec.SECP256R1())
            if jwk
            else ec.generate_private_key(ec.SECP256R1())
        )
        numbers = self.private.private_numbers()
        coordinate = lambda number: b64url(number.to_bytes(32, "big"))
        self.public_jwk = {
            "kty": "EC",
            "crv": "P-256",
            "x": coordinate(numbers.public_numbers.x),
            "y": coordinate(numbers.public_numbers.y),
        }
        self.private_jwk = {**self.public_jwk, "d": coordinate(numbers.private_value)}

    def thumbprint(self):
        """RFC 7638."""
        members = json.dumps(self.public_jwk, sort_keys=True, separators=(",", ":"))
        return b64url(hashlib.sha256(members.encode()).digest())

    def jws(self, header, claims):
        """A compact JWS (RFC 7515) signed with ES256."""
        signed = f"{b64url_json(header)}.{b64url_json(claims)}"
        r, s = decode_dss_signature(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{b64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def proof(self, method, url, nonce=None):
        """A DPoP proof (RFC 9449) for an authorization server."""
        return self.jws(
            {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.public_jwk},
            {
                "jti": secrets.token_urlsafe(16),
                "htm": method,
                "htu": url,
                "iat": int(time.time()),
                **({"nonce": nonce} if nonce else {}),
            },
        )
