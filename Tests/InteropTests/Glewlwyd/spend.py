#!/usr/bin/env python3
"""Uses the refresh token of a handoff, as a thief of a copy would.

usage: spend.py ISSUER < HANDOFF

Prints the status of the server's answer, and its body on the lines below.
"""
import json
import sys

from es256 import Key
from session import Session

handoff = json.load(sys.stdin)
session = Session(sys.argv[1], Key(handoff["dpopKey"]))
status, body = session.spend(handoff["refresh_token"])
print(status)
print(body.decode(), end="")
