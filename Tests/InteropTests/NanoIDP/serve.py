#!/usr/bin/env python3
"""A NanoIDP, an identity provider for tests from another project, on a free port of 127.0.0.1.

usage: serve.py FOLDER

FOLDER takes its configuration and keys. Prints {"issuer": ORIGIN} when it serves, and ends with its standard input;
then it removes FOLDER.

  user     alice, password alicepassword
  clients  `reports` with the secret `made-up-secret`, and every client that registers itself
  tokens   JWTs that last an hour; their `aud` is the resource that was asked for. A refresh token is used once.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import sys
import threading

import yaml
from nanoidp.app import create_app
from werkzeug.serving import make_server


def configuration(folder, issuer):
    settings = {
        "config_version": 1,
        "oauth": {
            "issuer": issuer, "audience": issuer, "refresh_token_rotation": True, "require_pkce": True,
            "scopes_supported": ["openid", "profile", "email", "offline_access", "notes"],
            "clients": [{"client_id": "reports", "client_secret": "made-up-secret"}],
            "dynamic_registration": {"enabled": True},
        },
        "jwt": {"keys_dir": f"{folder}/keys"},
        "session": {"secret_key": "made up for this test"},
        # The shortest interval that it takes.
        "device_flow": {"code_expiry_seconds": 600, "polling_interval": 1},
        "config_validation": "strict",
    }
    users = {"config_version": 1,
             "users": {"alice": {"password": "alicepassword", "email": "alice@example.test"}}}
    for name, document in {"settings": settings, "users": users}.items():
        with open(f"{folder}/{name}.yaml", "w") as file:
            yaml.safe_dump(document, file)


def end_with_input(folder):
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main():
    folder = sys.argv[1]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    issuer = f"http://127.0.0.1:{port}"
    configuration(folder, issuer)
    application = create_app(folder)
    logging.disable(logging.CRITICAL)
    server = make_server("127.0.0.1", port, application, threaded=True, fd=listener.fileno())
    threading.Thread(target=end_with_input, args=(folder,), daemon=True).start()
    print(json.dumps({"issuer": issuer}), flush=True)
    server.serve_forever()


main()
