#!/usr/bin/env python3
"""Takes pictures of the pages that a sign-in's browser ends at: real ones, of acct, in a real browser.

usage: pictures.py ACCT FOLDER (`make page-pictures`)

For each page, light and dark, wide and as narrow as a phone: a sign-in at a server made here, whose browser is a
headless Chromium. Fails if a sign-in does not end as it must, or the browser's console has anything to say, such as
that the page's policy forbids its style.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

# What comes back from the server, and the exit status of `acct add`.
PAGES = {"done": ({"code": "made-up"}, 0), "failed": ({"error": "access_denied"}, 4)}
THEMES = {"dark": 0, "light": 1}
SIZES = {"wide": (1000, 640), "narrow": (390, 700)}


class Server(BaseHTTPRequestHandler):
    """Signs in without a question, and answers every code with a token."""

    answer: dict = {}

    def do_GET(self):
        asked = dict(parse_qsl(urlsplit(self.path).query))
        if "redirect_uri" in asked:
            self.send_response(302)
            callback = urlencode({**self.answer, "state": asked["state"]})
            self.send_header("Location", f"{asked['redirect_uri']}?{callback}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/.well-known/oauth-authorization-server":
            issuer = f"http://{self.headers['Host']}"
            self.send_json({"issuer": issuer, "authorization_endpoint": f"{issuer}/authorize",
                            "token_endpoint": f"{issuer}/token", "response_types_supported": ["code"],
                            "code_challenge_methods_supported": ["S256"]})
        else:
            self.send_error(404)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_json({"access_token": "made-up", "token_type": "Bearer", "expires_in": 3600})

    def send_json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def sign_in(acct: str, issuer: str, folder: Path, picture: Path, theme: int, size: tuple[int, int]) -> tuple[int, str]:
    """Signs in, and has the page's picture taken. Returns acct's exit status, and what it and the browser said."""
    console = folder / "console"
    browser = folder / "browser"
    browser.write_text(f"""#!/bin/sh
exec chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir='{folder}/profile' \\
  --window-size={size[0]},{size[1]} --blink-settings=preferredColorScheme={theme} --enable-logging=stderr \\
  --screenshot='{picture}' "$1" >'{console}' 2>&1
""")
    browser.chmod(0o700)
    (folder / "passphrase").touch(mode=0o600)
    (folder / "passphrase").write_text("made up for these pictures\n")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "BROWSER": str(browser),
        "ACCT_HOME": str(folder / "home"), "ACCT_KEYRING": "vault",
        "ACCT_VAULT_PASSPHRASE_FILE": str(folder / "passphrase"),
    }
    done = subprocess.run([acct, "add", "--issuer", issuer, "--client-id", "made-up"], env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    wait_for(picture)
    said = [line for line in console.read_text(errors="replace").splitlines() if "CONSOLE" in line]
    return done.returncode, "\n".join([done.stderr, *said]) if said or done.returncode else ""


def wait_for(picture: Path) -> None:
    """Waits until the picture is whole: acct leaves the browser to itself."""
    for _ in range(600):
        if picture.exists() and picture.read_bytes().endswith(b"IEND\xaeB`\x82"):
            return
        threading.Event().wait(0.05)
    sys.exit(f"pictures: no {picture} after 30 s")


def main() -> None:
    acct, pictures = sys.argv[1], Path(sys.argv[2]).resolve()
    pictures.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    issuer = f"http://127.0.0.1:{server.server_port}"
    failed = False
    for page, (answer, expected) in PAGES.items():
        Server.answer = answer
        for theme, number in THEMES.items():
            for width, size in SIZES.items():
                picture = pictures / f"{page}-{theme}-{width}.png"
                picture.unlink(missing_ok=True)
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                    status, said = sign_in(acct, issuer, Path(folder), picture, number, size)
                wrong = status != expected or "CONSOLE" in said
                failed |= wrong
                print(f"{picture.name}: exit {status}" + (f" (must be {expected}), and\n{said}" if wrong else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
