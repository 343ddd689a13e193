#!/usr/bin/env python3
"""Signs alice in with a key made here, and prints what `acct add --import` reads.

usage: sign_in.py ISSUER

A pushed authorization request (RFC 9126), alice's consent, and the token request: everything that
happens before acct gets to know of it.
"""
import hashlib
import json
import secrets
import sys
import urllib.parse

from browser import Browser, query
from es256 import Key, b64url
from session import Session, client

issuer = sys.argv[1]
redirect = "http://127.0.0.1/callback"
key = Key()
session = Session(issuer, key)
verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
request = {
    "response_type": "code",
    "redirect_uri": redirect,
    "scope": "openid acct",
    "state": state,
    "nonce": secrets.token_urlsafe(16),
    "code_challenge": b64url(hashlib.sha256(verifier.encode()).digest()),
    "code_challenge_method": "S256",
    "dpop_jkt": key.thumbprint(),
}
# Where nonces are mandatory a proof can't be pushed, and where clients are bound it must be.
endpoint = "pushed_authorization_request_endpoint"
status, body = session.post(endpoint, request, proves=False)
pushed = json.loads(body) if status == 201 else session.granted(endpoint, request)

address = session.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(
    {"client_id": client, "request_uri": pushed["request_uri"]}
)
callback = query(Browser().consent(address))
if callback.get("state") != state or "code" not in callback:
    sys.exit(f"unexpected callback: {callback}")

tokens = session.granted(
    "token_endpoint",
    {
        "grant_type": "authorization_code",
        "code": callback["code"],
        "redirect_uri": redirect,
        "code_verifier": verifier,
    },
)
# Without `expires_in`: acct has to go by the token's own `exp`.
handoff = {
    name: tokens[name]
    for name in ("access_token", "refresh_token", "token_type", "scope")
    if name in tokens
}
handoff |= {"issuer": issuer, "clientId": client, "dpopKey": key.private_jwk}
print(json.dumps(handoff))
