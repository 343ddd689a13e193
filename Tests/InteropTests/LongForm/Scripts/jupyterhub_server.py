#!/usr/bin/env python3
"""A JupyterHub, which is an OAuth 2 provider to its services, on a port of 127.0.0.1.

usage: jupyterhub_server.py FOLDER PORT CALLBACK_PORT

FOLDER takes the database. Prints {"hub": ORIGIN/hub} when it serves, and ends with its standard input; then it removes
FOLDER. There is no metadata: what a client needs is below /hub/api/oauth2, as the documentation of JupyterHub has it.

  user    alice, password alicepassword
  client  `service-notes` with the secret `made-up-secret`, which has to be sent in the form; it comes back to
          http://127.0.0.1:CALLBACK_PORT/callback
  tokens  last an hour, and there is nothing to renew them with; `another-made-up-secret` is one that may delete alice
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading

from jupyterhub.app import JupyterHub
from jupyterhub.proxy import Proxy
from traitlets.config import Config


class NoProxy(Proxy):
    """In place of the proxy in front of a hub: tests talk to the hub itself."""

    should_start = False

    async def get_all_routes(self):
        return {"/": {"routespec": "/", "target": self.app.hub.url, "data": {"hub": True}}}

    async def add_route(self, routespec, target, data):
        pass

    async def delete_route(self, routespec):
        pass


class Hub(JupyterHub):
    """Says where it is as soon as it serves."""

    async def start(self):
        await super().start()
        print(json.dumps({"hub": f"http://127.0.0.1:{sys.argv[2]}/hub"}), flush=True)


def configuration(folder, port, callback_port):
    config = Config()
    config.JupyterHub.update(
        hub_bind_url=f"http://127.0.0.1:{port}", bind_url="http://127.0.0.1:9", proxy_class=NoProxy,
        db_url=f"sqlite:///{folder}/hub.db", cookie_secret=bytes(32), log_level="CRITICAL",
        authenticator_class="dummy", spawner_class="simple", oauth_token_expires_in=3600, last_activity_interval=86400,
        services=[{
            "name": "notes", "api_token": "made-up-secret",
            "oauth_redirect_uri": f"http://127.0.0.1:{callback_port}/callback",
            "oauth_client_allowed_scopes": ["read:users!user"],
        }, {"name": "operator", "api_token": "another-made-up-secret"}],
        load_roles=[
            {"name": "user", "scopes": ["self", "access:services!service=notes"]},
            {"name": "operator", "scopes": ["admin:users"], "services": ["operator"]},
        ],
    )
    config.DummyAuthenticator.password = "alicepassword"
    config.Authenticator.allowed_users = {"alice"}
    config.ConfigurableHTTPProxy.auth_token = "made up for this test"
    return config


def end_with_input(folder):
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main():
    folder, port, callback_port = sys.argv[1:4]
    os.chdir(folder)
    threading.Thread(target=end_with_input, args=(folder,), daemon=True).start()
    Hub.instance(config=configuration(folder, port, callback_port))
    Hub.launch_instance([])


main()
