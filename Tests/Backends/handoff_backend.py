#!/usr/bin/env python3
"""Starts a backend that hands over tokens, prints one line of JSON when it is ready, and ends when its stdin closes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from pathlib import Path

# The wire and the tokens are the strict server's: one HTTP reader to trust.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "StrictServer")]

from backend.handoff import HandoffBackend  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", required=True, help="the control address of an AT Protocol network")
    parser.add_argument("--settings", default="{}", help="settings to start with, as JSON (see README.md)")
    arguments = parser.parse_args()

    backend = HandoffBackend(arguments.network)
    backend.settings.merge(json.loads(arguments.settings))
    threading.Thread(target=backend.origin.serve_forever, daemon=True).start()
    print(json.dumps({"backend": backend.base, "control": f"{backend.base}/control", "pid": os.getpid()}), flush=True)

    # A test that dies cannot clean up, but its end of the pipe closes whatever happens.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
