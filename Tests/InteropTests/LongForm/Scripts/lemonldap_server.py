#!/usr/bin/env python3
"""The portal of LemonLDAP::NG (Debian's package), as a plain PSGI server on a port of 127.0.0.1.

usage: lemonldap_server.py FOLDER PORT CALLBACK_PORT

FOLDER takes its configuration and its sessions: a file each in FOLDER/sessions, among them one for each refresh token.
Prints {"issuer": ORIGIN} when it serves, and ends with its standard input; then it removes FOLDER.

  user     alice, password alicepassword
  clients  `app` with the secret `made-up-secret`, `public` without one; both may come back to
           http://127.0.0.1:CALLBACK_PORT/callback
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

folder, port, callback = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
origin = f"http://127.0.0.1:{port}"


def storage(name):
    place = folder / name
    (place / "lock").mkdir(parents=True)
    return {"Directory": str(place), "LockDirectory": str(place / "lock"),
            "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"}


def client(name, more):
    start = "oidcRPMetaDataOptions"
    return {f"{start}ClientID": name, f"{start}RedirectUris": f"http://127.0.0.1:{callback}/callback",
            f"{start}BypassConsent": 1, f"{start}IDTokenSignAlg": "RS256", f"{start}RefreshToken": 1,
            f"{start}UserIDAttr": "uid", **{start + option: value for option, value in more.items()}}


def configuration():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                                serialization.NoEncryption()).decode()
    public = key.public_key().public_bytes(serialization.Encoding.PEM,
                                           serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    shown = {"uid": "uid", "cn": "cn", "mail": "mail"}
    places = {"Authorize": "authorize", "Token": "token", "UserInfo": "userinfo", "JWKS": "jwks",
              "Registration": "register", "Introspection": "introspect", "EndSession": "logout",
              "CheckSession": "checksession.html", "FrontChannel": "flogout", "BackChannel": "blogout"}
    clients = {"public": client("public", {"Public": 1, "RequirePKCE": 1}),
               "app": client("app", {"ClientSecret": "made-up-secret"})}
    claims = {"name": "cn", "preferred_username": "uid", "email": "mail"}
    return {
        "cfgNum": 1, "cfgDate": 1, "cfgAuthor": "tests", "cfgVersion": "2.16.1", "domain": "127.0.0.1",
        "cookieName": "lemonldap", "portal": f"{origin}/", "authentication": "Demo", "userDB": "Same",
        "passwordDB": "Null", "registerDB": "Null", "key": "made-up-key-made", "securedCookie": 0, "https": 0,
        "globalStorage": "Apache::Session::File", "globalStorageOptions": storage("sessions"),
        "persistentStorage": "Apache::Session::File", "persistentStorageOptions": storage("persistent"),
        "exportedVars": shown, "demoExportedVars": shown, "whatToTrace": "uid", "requireToken": 0,
        "portalCheckLogins": 0, "skipRenewConfirmation": 1,
        "locationRules": {"127.0.0.1": {"default": "accept"}}, "exportedHeaders": {},
        "issuerDBOpenIDConnectActivation": 1, "issuerDBOpenIDConnectPath": "^/oauth2/",
        "issuerDBOpenIDConnectRule": 1, "oidcServiceMetaDataIssuer": origin,
        **{f"oidcServiceMetaData{name}URI": place for name, place in places.items()},
        "oidcServiceAllowAuthorizationCodeFlow": 1, "oidcServicePrivateKeySig": private,
        "oidcServicePublicKeySig": public, "oidcServiceKeyIdSig": "tests",
        "oidcRPMetaDataOptions": clients, "oidcRPMetaDataExportedVars": dict.fromkeys(clients, claims),
    }


def serves():
    try:
        with urllib.request.urlopen(f"{origin}/.well-known/openid-configuration", timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


(folder / "configuration").mkdir()
(folder / "configuration" / "lmConf-1.json").write_text(json.dumps(configuration()), encoding="utf-8")
application = Path(__file__).parent / "lemonldap.psgi"
portal = subprocess.Popen(
    ["plackup", "--env", "deployment", "--host", "127.0.0.1", "--port", str(port), str(application)],
    env={**os.environ, "LEMONLDAP_FOLDER": str(folder)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    stderr=open(folder / "log", "wb"))
while not serves():
    if portal.poll() is not None:
        print((folder / "log").read_text(errors="replace"), flush=True)
        sys.exit(1)
    time.sleep(0.1)
print(json.dumps({"issuer": origin}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
portal.kill()
shutil.rmtree(folder, ignore_errors=True)
os._exit(0)
