#!/usr/bin/env python3
"""Starts a small AT Protocol network, prints one line of JSON when it is ready, and ends when its stdin closes."""

from __future__ import annotations

import argparse
import json
import os
import sys

from atproto.network import Network
from atproto.settings import NetworkSettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="{}", help="settings to start with, as JSON (see README.md)")
    arguments = parser.parse_args()

    settings = NetworkSettings()
    settings.merge(json.loads(arguments.settings))
    network = Network(settings)
    network.start()
    print(json.dumps({**network.ready(), "pid": os.getpid()}), flush=True)

    # A test that dies cannot clean up, but its end of the pipe closes whatever happens.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)  # held requests sit in threads that nothing else would end


if __name__ == "__main__":
    main()
