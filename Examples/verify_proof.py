#!/usr/bin/env python3
"""Verifies header lines from `acct header` the way a resource server does, with pydpop.

usage: acct header [METHOD] URL | verify_proof.py METHOD URL [NONCE]

Several pairs of lines may follow one another; they count as requests to one server, so a proof
that comes twice is refused as a replay. Prints a line for each proof; exits 1 at the first that is
refused. pydpop shares no code with acct.
"""
import base64
import json
import sys
import urllib.parse

import pydpop


def refuse(reason):
    print(f"refused: {reason}")
    sys.exit(1)


def jwt_part(token, index):
    part = token.split(".")[index]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


method, url = sys.argv[1:3]
nonce = sys.argv[3] if len(sys.argv) > 3 else None
lines = [line.rstrip("\r\n").partition(": ") for line in sys.stdin]
tokens = [value for name, _, value in lines if name == "Authorization"]
proofs = [value for name, _, value in lines if name == "DPoP"]
if not proofs or len(tokens) != len(proofs) or len(lines) != 2 * len(proofs):
    refuse("not one Authorization line and one DPoP line for each request")

store = pydpop.MemoryJtiStore()
for authorization, proof in zip(tokens, proofs):
    scheme, _, token = authorization.partition(" ")
    if scheme != "DPoP":
        refuse(f"the scheme of a bound token is DPoP, not {scheme}")
    try:
        verified = pydpop.verify_proof(
            proof=proof,
            htm=method,
            htu=url,
            access_token=token,
            expected_nonce=nonce,
            jti_store=store,
        )
    except pydpop.DPoPError as error:
        refuse(error)
    # What pydpop lets pass: a query left in `htu`, a private member in the header, a key that the
    # token is not bound to.
    expected = urllib.parse.urlsplit(url)._replace(query="", fragment="").geturl()
    if verified["claims"]["htu"] != expected:
        refuse(f"htu is {verified['claims']['htu']}")
    if set(verified["jwk"]) != {"kty", "crv", "x", "y"}:
        refuse(f"the key has the members {sorted(verified['jwk'])}")
    if token.count(".") == 2:
        bound = jwt_part(token, 1).get("cnf", {}).get("jkt")
        if bound != verified["jwk_thumbprint"]:
            refuse(f"the token is bound to {bound}")
    print(f"accepted: {method} {expected}, signed by {verified['jwk_thumbprint']}")
