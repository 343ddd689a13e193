#!/usr/bin/env python3
"""A Canaille, an identity provider from another project, on a free port of 127.0.0.1.

usage: canaille_server.py FOLDER CALLBACK_PORT

FOLDER takes the key of a client. Prints {"issuer": ORIGIN} when it serves, and ends with its standard input; then it
removes FOLDER.

  user     alice, password alicepassword
  clients  `app` with the secret `made-up-secret`, `public` without one, `signed` with the key FOLDER/client.pem, and
           every client that registers itself; the first three may come back to http://127.0.0.1:CALLBACK_PORT/callback
  tokens   JWTs that last half an hour, or an hour after a renewal; so does the refresh token, which is used once

  GET /tokens   how many access tokens were issued so far
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import sys
import threading

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import ECKey
from werkzeug.serving import make_server


def clients(callback, public_key):
    """The clients that this server knows from the start, by the way in which each authenticates."""
    for name, method in {
        "app": "client_secret_basic", "public": "none", "signed": "private_key_jwt",
    }.items():
        yield models.Client(
            client_id=name, client_name=name, client_secret="made-up-secret" if name == "app" else None,
            redirect_uris=[callback], token_endpoint_auth_method=method, response_types=["code"],
            grant_types=["authorization_code", "refresh_token", "client_credentials"],
            scope=["openid", "profile", "email"], jwks=json.dumps({"keys": [public_key]}) if name == "signed" else None,
        )


def make_application(folder, port, callback):
    application = create_app({
        "SECRET_KEY": "made up for this test", "SERVER_NAME": f"127.0.0.1:{port}", "PREFERRED_URL_SCHEME": "http",
        "OAUTH2_TOKEN_EXPIRES_IN": {"authorization_code": 1800, "refresh_token": 3600, "client_credentials": 3600},
        "CANAILLE": {"DATABASE": "memory", "SMTP": None},
        # No domain is trusted: alice is asked for her consent.
        "CANAILLE_OIDC": {"DYNAMIC_CLIENT_REGISTRATION_OPEN": True, "TRUSTED_DOMAINS": []},
    })
    key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256"}, auto_kid=True)
    with open(f"{folder}/client.pem", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(key.as_pem(private=True))
    with application.app_context():
        Backend.instance.save(models.User(
            user_name="alice", formatted_name="Alice", family_name="Example", emails=["alice@example.test"],
            password="alicepassword",
        ))
        for client in clients(callback, key.as_dict(private=False)):
            Backend.instance.save(client)
            client.audience = [client]
            Backend.instance.save(client)
    application.add_url_rule(
        "/tokens", "tokens", lambda: {"tokens": len(Backend.instance.query(models.Token))},
    )
    return application


def end_with_input(folder):
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main():
    folder, callback_port = sys.argv[1:3]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    logging.disable(logging.CRITICAL)
    application = make_application(folder, port, f"http://127.0.0.1:{callback_port}/callback")
    server = make_server("127.0.0.1", port, application, threaded=True, fd=listener.fileno())
    threading.Thread(target=end_with_input, args=(folder,), daemon=True).start()
    print(json.dumps({"issuer": f"http://127.0.0.1:{port}"}), flush=True)
    server.serve_forever()


main()
