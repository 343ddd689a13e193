#!/usr/bin/env python3
"""Starts the strict server, prints one line of JSON when it is ready, and ends when its stdin closes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading

from strict.realm import Realm
from strict.service import Service
from strict.settings import Settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="{}", help="settings to start with, as JSON (see README.md)")
    parser.add_argument("--issuer-path", default="", help="a path of the issuer, such as /tenant")
    arguments = parser.parse_args()

    settings = Settings()
    settings.merge(json.loads(arguments.settings))
    service = Service(Realm(settings, arguments.issuer_path))
    for origin in service.origins:
        threading.Thread(target=origin.serve_forever, daemon=True).start()
    bases = service.realm.bases
    print(json.dumps({"issuer": service.realm.issuer, "resource": bases["rs"], "elsewhere": bases["elsewhere"],
                      "control": f"{bases['as']}/control", "pid": os.getpid()}), flush=True)

    # A test that dies cannot clean up, but its end of the pipe closes whatever happens.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)  # held requests sit in threads that nothing else would end


if __name__ == "__main__":
    main()
