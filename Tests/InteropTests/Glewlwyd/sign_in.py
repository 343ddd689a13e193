#!/usr/bin/env python3
"""Signs alice in with a key made here, and prints what `acct add --import` reads.

usage: sign_in.py ISSUER

A pushed authorization request (RFC 9126) with a DPoP proof, alice's password and consent in place
of a browser, and the token request: everything that happens before acct gets to know of it.
"""
import hashlib
import http.cookiejar
import json
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

from es256 import Key, b64url

issuer = sys.argv[1]
api = issuer.removesuffix("/oidc")
client, redirect = "acct-cli", "http://127.0.0.1/callback"


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them: the last one holds the code."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    KeepRedirects,
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def send(method, url, data=None, headers={}):
    request = urllib.request.Request(url, method=method, data=data, headers=headers)
    try:
        return opener.open(request)
    except urllib.error.HTTPError as answer:
        if answer.code == 302:
            return answer
        sys.exit(f"{method} {url}: {answer.code} {answer.read().decode()}")


def send_form(url, fields):
    data = urllib.parse.urlencode(fields).encode()
    return json.load(send("POST", url, data, {"DPoP": key.proof("POST", url)}))


def send_json(method, url, value):
    send(method, url, json.dumps(value).encode(), {"Content-Type": "application/json"})


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


key = Key()
metadata = json.load(send("GET", f"{issuer}/.well-known/openid-configuration"))
verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
pushed = send_form(
    metadata["pushed_authorization_request_endpoint"],
    {
        "client_id": client,
        "response_type": "code",
        "redirect_uri": redirect,
        "scope": "openid acct",
        "state": state,
        "nonce": secrets.token_urlsafe(16),
        "code_challenge": b64url(hashlib.sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
    },
)

authorize = metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(
    {"client_id": client, "request_uri": pushed["request_uri"]}
)
login = query(send("GET", authorize).headers["Location"])
send_json("POST", f"{api}/auth/", {"username": "alice", "password": "alicepassword"})
send_json("PUT", f"{api}/auth/grant/{login['client_id']}", {"scope": login["scope"]})
callback = query(send("GET", authorize + "&g_continue").headers["Location"])
if callback.get("state") != state or "code" not in callback:
    sys.exit(f"unexpected callback: {callback}")

tokens = send_form(
    metadata["token_endpoint"],
    {
        "client_id": client,
        "grant_type": "authorization_code",
        "code": callback["code"],
        "redirect_uri": redirect,
        "code_verifier": verifier,
    },
)
handoff = {
    name: tokens[name]
    for name in ("access_token", "refresh_token", "expires_in", "token_type", "scope")
    if name in tokens
}
handoff |= {"issuer": issuer, "clientId": client, "dpopKey": key.private_jwk}
print(json.dumps(handoff))
