#!/usr/bin/env python3
"""Starts a backend that keeps sealed sessions, prints one line of JSON when it is ready, and ends when its stdin closes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from pathlib import Path

# The wire and the faults are the strict server's: one HTTP reader to trust.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "StrictServer")]

from sealed.service import Service  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="{}", help="settings to start with, as JSON (see sealed/README.md)")
    arguments = parser.parse_args()

    service = Service()
    service.settings.merge(json.loads(arguments.settings))
    for origin in service.origins:
        threading.Thread(target=origin.serve_forever, daemon=True).start()
    print(json.dumps({"backend": service.bases["backend"], "elsewhere": service.bases["elsewhere"],
                      "pid": os.getpid()}), flush=True)

    # A test that dies cannot clean up, but its end of the pipe closes whatever happens.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)  # held requests sit in threads that nothing else would end


if __name__ == "__main__":
    main()
