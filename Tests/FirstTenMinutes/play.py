#!/usr/bin/env python3
"""Plays a person's first ten minutes: types every command of the README into a real terminal.

Lines of README.md that begin with `$ ` in a ```console block are typed, in their order, with the addresses of test
servers in place of made-up hosts. Each must end with the status that the line names (0 if it names none) and show what
is listed here; a line that this script does not know, or one of its own that the README lacks, is a failure.
What was on the screen is left in FOLDER, one file for each line. usage: play.py FOLDER (see `make first-ten-minutes`)
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from known_servers import GOOGLE_SECRET
from terminal import Terminal
from world import ROOT, World

PASSPHRASE = "made up for this play"

# What begins each line, and patterns that must stand on the screen after it, in any order.
EXPECTED = [
    ("make install", [r"bin/acct", r"man1/acct\.1\.gz|man1"]),
    ("acct --version", [r"^acct \d+\.\d+"]),
    ("acct add alice.example.com", [r"alice\.example\.com"]),
    ("acct", [r"^alice\.example\.com at \S+ is active: valid", r"acct header URL"]),
    ("acct add --issuer", [r"notes"]),
    ("acct add --guest", [r"guest"]),
    ("acct add github", [r"WDJB-MJHT", r"added octocat@"]),
    ("acct add google", [r"added alice@example\.com"]),
    ("acct list", [r"^   alice\.example\.com .* DPoP +valid", r"^   notes .* DPoP +valid",
                   r"^   guest .* guest +valid", r"^\*  alice@example\.com", r"^   octocat@"]),
    ("acct switch", [r"alice|notes|guest|octocat"]),
    ("acct switch alice.example.com", [r"alice\.example\.com"]),
    ("acct status", [r"^handle +alice\.example\.com", r"^state +valid", r"^keyring +secret-service, ready",
                     r"^chosen by +it is the active account"]),
    ("url=", []),
    ("acct request", [r'"did": ?"did:plc:']),
    ("acct header \"$url\"", [r'"did": ?"did:plc:']),
    ("acct header https://elsewhere.example/", [r"^acct: .*elsewhere\.example", r"^acct: hint: "]),
    ("acct limits", [r"2,?99\d", r"3,?000"]),
    ("acct proxy", [r"/acct/proxy$"]),
    ("curl --unix-socket", [r'"did": ?"did:plc:']),
    ("kill %1", []),
    ("acct log", [r"alice\.example\.com"]),
    ("acct allow", [r"https://api\.example"]),
    ("acct export", []),
    ("acct add --import", [r"alice\.example\.com"]),
    ("acct doctor", [r"^ok +the keyring \(secret-service\)", r"^ok +accounts and the keyring agree"]),
    ("acct remove", [r"alice\.example\.com"]),
    ("acct list", [r"^.  notes "]),
]


def commands(readme: str) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def answer(terminal: Terminal, line: str) -> None:
    """Does what a person does while a command runs, and waits where a person would."""
    if line == "acct switch":
        terminal.wait("switch to")
        terminal.press("Down")
        terminal.press("Enter")
    elif line.startswith("acct export"):
        for question in ("Passphrase for the export: ", "The same passphrase again: "):
            terminal.wait(question)
            terminal.type(PASSPHRASE)
    elif line.startswith("acct add --import"):
        terminal.wait("Passphrase of the export: ")
        terminal.type(PASSPHRASE)


def play(folder: Path, captures: Path) -> list[str]:
    world = World()
    environment = {
        **{name: value for name, value in os.environ.items()
           if not name.startswith(("ACCT_", "TMUX", "MAKE")) and name != "NO_COLOR"},
        **world.environment, "HOME": str(folder), "PREFIX": str(folder / ".local"), "LANG": "C.UTF-8",
        "PATH": f"{folder}/.local/bin:{os.environ['PATH']}", "BROWSER": str(folder / "browser"),
    }
    # The user is another one, and yet what was built is not built once more: Swift keeps the caches that it
    # knows, and writes to no terminal, for whose colours it would compile everything anew.
    (folder / "swift").write_text("#!/bin/bash\nset -o pipefail\nunset XDG_CACHE_HOME\n"
                                  f"HOME='{os.environ['HOME']}' swift \"$@\" 2>&1 | cat\n")
    (folder / "swift").chmod(0o700)
    environment["SWIFT"] = str(folder / "swift")
    world.describe(folder / ".config/acct/providers")
    (folder / "google-secret").write_text(f"{GOOGLE_SECRET}\n")
    (folder / "google-secret").chmod(0o600)
    browser = ROOT / "Tests/StrictServer/browser.py"
    # Begins to browse and returns at once, as what opens a browser on a desktop does.
    (folder / "browser").write_text(f"#!/bin/sh\n'{sys.executable}' '{browser}' \"$1\" &\n")
    (folder / "browser").chmod(0o700)
    failures = []
    terminal = Terminal(folder, environment, (100, 40))
    try:
        lines = commands((ROOT / "README.md").read_text())
        if len(lines) != len(EXPECTED):
            failures.append(f"README.md has {len(lines)} commands, this script knows {len(EXPECTED)}")
        for number, (line, (begin, patterns)) in enumerate(zip(lines, EXPECTED), 1):
            if not line.startswith(begin):
                failures.append(f"README.md says `{line}` where this script expects `{begin}`")
                break
            wanted = re.search(r"# exit status (\d+)", line)
            typed = world.typed(line)
            terminal.type(typed)
            answer(terminal, line)
            status = terminal.status()
            if line.endswith("&"):
                terminal.wait("/acct/proxy")
            screen = terminal.screen()
            screen = screen[max(screen.rfind(f"$ {typed}"), 0):].rstrip() + "\n"
            name = re.sub(r"[^a-z]+", "-", line.lower())[:30].strip("-")
            (captures / f"{number:02}-{name}.txt").write_text(screen)
            if status != int(wanted[1] if wanted else 0):
                failures.append(f"`{line}` ended with {status}:\n{screen}")
            for pattern in patterns:
                if not re.search(pattern, screen, re.MULTILINE):
                    failures.append(f"`{line}` does not show {pattern}:\n{screen}")
    finally:
        terminal.close()
        world.close()
    return failures


def main() -> None:
    captures = Path(sys.argv[1])
    shutil.rmtree(captures, ignore_errors=True)
    captures.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        failures = play(Path(folder), captures)
    for failure in failures:
        print(f"first-ten-minutes: {failure}", file=sys.stderr)
    if failures:
        sys.exit(1)
    print(f"first-ten-minutes: {len(EXPECTED)} commands of README.md played; {captures} has the screens")


if __name__ == "__main__":
    main()
