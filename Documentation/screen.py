#!/usr/bin/env python3
"""Draws README.md's picture: acct in a real terminal, with made-up accounts and a clock that stands still.

usage: screen.py ACCT SVG (`make picture`). Two runs make the same file; a test compares it with what is in the tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from drawing import drawing

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/FirstTenMinutes"))

from terminal import Terminal  # noqa: E402

NOW = "2027-01-15 08:00:00"
LIMITS = "HTTP/1.1 200 OK\r\nRateLimit-Limit: 3000\r\nRateLimit-Remaining: 2317\r\nRateLimit-Reset: 252\r\n\r\n"
# What is typed, and the status that it ends with.
LINES = [("acct list", 0), ("acct limits", 0), ("acct header https://evil.example/", 8)]
SIZE = (92, 24)


def accounts() -> list[tuple[str, dict]]:
    """The accounts that are on show, the last one active."""
    alice = json.loads((ROOT / "Examples/alice.json").read_text())
    # A token that says itself when it ends would have the last word.
    alice["accessToken"], alice["tokenType"], alice["expiresAt"] = "made-up", "DPoP", "2027-01-15T09:42:00Z"

    def bearer(origin: str, end: str) -> dict:
        return {"access_token": "made-up", "token_type": "Bearer", "expires_at": end, "origins": [origin]}

    return [
        ("notes", bearer("https://notes.example", "2027-01-15T08:47:00Z")),
        ("work", bearer("https://api.work.example", "2027-01-15T05:13:00Z")),
        ("山田", bearer("https://files.example", "2027-02-14T08:00:00Z")),
        ("alice", alice),
    ]


def capture(acct: Path, folder: Path) -> str:
    (folder / "passphrase").touch(mode=0o600)
    (folder / "passphrase").write_text("made up for this picture\n")
    (folder / "bin").mkdir()
    wrapper = folder / "bin/acct"
    wrapper.write_text(f"#!/bin/sh\nexec faketime -f '{NOW}' '{acct}' \"$@\"\n")
    wrapper.chmod(0o700)
    environment = {
        "PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TZ": "UTC",
        "TERM": "xterm-256color", "ACCT_HOME": str(folder / "home"), "ACCT_KEYRING": "vault",
        "ACCT_VAULT_PASSPHRASE_FILE": str(folder / "passphrase"),
        # Deadlines are counted by another clock, which goes on.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }

    def run(*arguments: str, text: str) -> None:
        subprocess.run([wrapper, *arguments], env=environment, input=text.encode(), check=True,
                       stderr=subprocess.DEVNULL)

    for name, credentials in accounts():
        run("add", "--import", "-", "--name", name, text=json.dumps(credentials))
    run("observe", "https://pds.example/", text=LIMITS)

    terminal = Terminal(folder, environment, SIZE)
    try:
        for line, wanted in LINES:
            terminal.wait_for_prompt()
            terminal.type(line)
            if (status := terminal.status()) != wanted:
                sys.exit(f"screen: {line} ended with {status}:\n{terminal.screen()}")
        terminal.wait_for_prompt()
        text = terminal.colours()
    finally:
        terminal.close()
        subprocess.run([wrapper, "vault", "lock"], env=environment, stderr=subprocess.DEVNULL, check=False)
    return text[:text.rindex("$")].rstrip("\n")


def main() -> None:
    acct, picture = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        text = capture(acct, Path(folder))
    os.makedirs(picture.parent, exist_ok=True)
    picture.write_text(drawing(text, columns=SIZE[0]))


if __name__ == "__main__":
    main()
