#!/usr/bin/env python3
"""The strict server with a fast resource server, and clients that ask it through a proxy.

It prints the same line as strict_server.py, and ends when its stdin closes. Its control API has more commands:

    soak-begin      {"socket": PATH, "requests": N, "connections": N}: has clients make requests of a proxy
    soak-keyring    {"is": "open" | "locked" | "changing"}: the state that they count on from now on
    soak-newest     {"token": T}: requests that begin from now on must carry this access token or a later one
    soak-wait       {"answered": N}: blocks until so many requests have their answers; {"reached": bool}
    soak-tally      {"answered": N, "statuses": {"200": N, …}, "wrong": {WORDS: N, …}}
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import threading

from soak.clients import Client
from soak.ledger import Ledger
from soak.upstream import Ranks, Upstream
from strict.realm import Realm
from strict.service import Service
from strict.settings import Settings


class Soak:
    """The parts, and the commands of a test to them."""

    def __init__(self, realm: Realm):
        self.realm, self.ledger, self.ranks = realm, Ledger(), Ranks(realm)
        self.loop = asyncio.new_event_loop()
        realm.commands = {"soak-begin": self._begin, "soak-keyring": self._keyring, "soak-newest": self._newest,
                          "soak-wait": self._wait, "soak-tally": self._tally}

    def serve(self) -> None:
        """Serves on a thread of its own, from now on as the realm's resource server."""
        server = self.loop.run_until_complete(
            self.loop.create_server(lambda: Upstream(self.realm, self.ledger, self.ranks), "127.0.0.1", 0))
        self.realm.bases["rs"] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def _begin(self, realm: Realm, request: object, value: dict) -> object:
        self.ledger.total = value["requests"]
        host = realm.bases["rs"].removeprefix("http://")
        for _ in range(value["connections"]):
            client = Client(self.ledger, value["socket"], host)
            asyncio.run_coroutine_threadsafe(client.connect(), self.loop).result()
        return {}

    def _keyring(self, realm: Realm, request: object, value: dict) -> object:
        self.ledger.change_keyring(value["is"])
        return {}

    def _newest(self, realm: Realm, request: object, value: dict) -> object:
        self.ledger.replace_credential(self.ranks.rank(value["token"]))
        return {}

    def _wait(self, realm: Realm, request: object, value: dict) -> object:
        return {"reached": self.ledger.wait(value["answered"], timeout=60)}

    def _tally(self, realm: Realm, request: object, value: object) -> object:
        ledger = self.ledger
        return {"answered": ledger.answered, "statuses": dict(ledger.statuses), "wrong": dict(ledger.wrong)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="{}", help="settings to start with, as JSON (see README.md)")
    arguments = parser.parse_args()

    settings = Settings()
    settings.merge(json.loads(arguments.settings))
    service = Service(Realm(settings))
    Soak(service.realm).serve()
    for origin in service.origins:
        if origin.name != "rs":
            threading.Thread(target=origin.serve_forever, daemon=True).start()
    bases = service.realm.bases
    print(json.dumps({"issuer": service.realm.issuer, "resource": bases["rs"], "elsewhere": bases["elsewhere"],
                      "control": f"{bases['as']}/control", "pid": os.getpid()}), flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
