#!/usr/bin/env python3
"""Plays a server of the zoo, FILE of ../Zoo, by the strict server's rules; else as strict_server.py."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

from strict.realm import Realm
from strict.settings import Settings
from zoo.service import ZooService
from zoo.species import Species


def main() -> None:
    species = Species.parse(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    settings = Settings(dpop="off", par="off", token_format="opaque", device_interval=1, device_approve_after=0)
    settings.merge(species.settings)
    service = ZooService(Realm(settings, species.issuer), species)
    for origin in service.origins:
        threading.Thread(target=origin.serve_forever, daemon=True).start()
    bases = service.realm.bases
    print(json.dumps({"issuer": service.realm.issuer, "resource": bases["rs"], "elsewhere": bases["elsewhere"],
                      "base": bases["as"], "control": f"{bases['as']}/control", "pid": os.getpid()}), flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
