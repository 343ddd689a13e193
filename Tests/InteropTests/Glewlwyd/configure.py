#!/usr/bin/env python3
"""Makes a freshly started Glewlwyd an issuer of DPoP-bound tokens.

usage: configure.py PORT REDIRECT_PORT TOKEN_LIFE nonces|proofAtPAR

Afterwards: issuer http://127.0.0.1:PORT/api/oidc, whose access tokens last TOKEN_LIFE seconds;
public client `acct-cli` and the confidential ones `acct-basic` and `acct-post`, with the secret
`made-up-secret` and the method of authentication in their names, with callbacks on REDIRECT_PORT;
user `alice` with password `alicepassword`.

With `nonces`, every proof must hold one. With `proofAtPAR`, the client is bound to DPoP, so that a
pushed authorization request needs a proof. Both at once can't be met: a proof at PAR without a
nonce gets 403, and never the nonce that it lacks.
"""
import http.cookiejar
import json
import sys
import urllib.error
import urllib.request

from es256 import Key

port, redirect_port, token_life, demand = sys.argv[1:]
base = f"http://127.0.0.1:{port}/api"
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def api(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        base + path, method=method, data=data, headers={"Content-Type": "application/json"}
    )
    try:
        answer = opener.open(request).read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")
    return json.loads(answer) if answer.strip() else None


# The administrator that the schema comes with.
api("POST", "/auth/", {"username": "admin", "password": "password"})

signing_key = {**Key().private_jwk, "kid": "es256-1", "alg": "ES256", "use": "sig"}
parameters = {
    # The plugin's own root, so that discovery below it names the issuer that was asked.
    "iss": f"{base}/oidc",
    "jwks-private": json.dumps({"keys": [signing_key]}),
    "default-kid": "es256-1",
    "jwks-show": True,
    "subject-type": "public",
    "allowed-scope": ["openid", "acct"],
    "access-token-duration": int(token_life),
    "refresh-token-duration": 1209600,
    "code-duration": 60,
    "refresh-token-rolling": True,
    # A refresh token that is used twice ends the session.
    "refresh-token-one-use": "always",
    "allow-non-oidc": True,
    "auth-type-code-enabled": True,
    "auth-type-code-revoke-replayed": True,
    "auth-type-token-enabled": False,
    "auth-type-id-token-enabled": True,
    "auth-type-none-enabled": False,
    "auth-type-password-enabled": False,
    "auth-type-client-enabled": True,
    "auth-type-device-enabled": True,
    "auth-type-refresh-enabled": True,
    "device-authorization-expiration": 600,
    "device-authorization-interval": 1,
    "pkce-allowed": True,
    "pkce-method-plain-allowed": False,
    "pkce-required": True,
    "pkce-required-public-client": True,
    "oauth-par-allowed": True,
    "oauth-par-required": True,
    "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
    "oauth-par-duration": 90,
    "oauth-dpop-allowed": True,
    "oauth-dpop-iat-duration": 60,
    "oauth-dpop-iat-gap-duration": 5,
    "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
    "oauth-dpop-nonce-mandatory": demand == "nonces",
    # A nonce is good for four requests, the one that is answered with the next one included.
    "oauth-dpop-nonce-counter": 3,
    "introspection-revocation-allowed": True,
    "introspection-revocation-allow-target-client": True,
    "introspection-revocation-auth-scope": [],
    "oauth-as-iss-id": True,
    "name-claim": "mandatory",
    "email-claim": "mandatory",
    "scope-claim": "no",
}
api(
    "POST",
    "/mod/plugin/",
    {
        "module": "oidc",
        "name": "oidc",
        "display_name": "OIDC",
        "enabled": True,
        "parameters": parameters,
    },
)

# The store of clients has to be told of a property before a client can have it.
store = api("GET", "/mod/client/database")
store["parameters"]["data-format"]["dpop_bound_access_tokens"] = {
    "multiple": False,
    "read": True,
    "write": True,
}
api("PUT", "/mod/client/database", store)
api("PUT", "/mod/client/database/reset")

api(
    "POST",
    "/scope/",
    {
        "name": "acct",
        "display_name": "acct",
        "description": "what the tests ask for",
        "password_required": True,
        "password_max_age": 0,
        "scheme": {},
    },
)
api(
    "POST",
    "/user/",
    {
        "username": "alice",
        "name": "Alice Test",
        "email": "alice@example.test",
        "password": "alicepassword",
        "enabled": True,
        "scope": ["openid", "acct", "g_profile"],
    },
)
api(
    "POST",
    "/client/",
    {
        "client_id": "acct-cli",
        "name": "acct",
        "client_name": "acct",
        "confidential": False,
        "enabled": True,
        # Ports are compared, too, although RFC 8252, section 7.3 would have any port do.
        "redirect_uri": [
            f"http://127.0.0.1:{redirect_port}/callback",
            "http://127.0.0.1/callback",
        ],
        "authorization_type": ["code", "refresh_token", "device_authorization", "delete_token"],
        "scope": [],
        **({"dpop_bound_access_tokens": "true"} if demand == "proofAtPAR" else {}),
    },
)
for method in ("basic", "post"):
    api(
        "POST",
        "/client/",
        {
            "client_id": f"acct-{method}",
            "name": f"acct-{method}",
            "client_name": f"acct-{method}",
            "confidential": True,
            "password": "made-up-secret",
            # Another way to authenticate is rejected.
            "token_endpoint_auth_method": [f"client_secret_{method}"],
            "enabled": True,
            "redirect_uri": [f"http://127.0.0.1:{redirect_port}/callback"],
            "authorization_type": [
                "code",
                "refresh_token",
                "client_credentials",
                "device_authorization",
                "delete_token",
            ],
            # What it may ask for without a user.
            "scope": ["acct"],
        },
    )
