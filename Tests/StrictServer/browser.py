#!/usr/bin/env python3
"""Stands in for the browser and the user: follows redirects from URL to the client's loopback listener.

STRICT_BROWSER says how the user behaves:
  approve (default), deny, wrong-state-first (a forged callback, then the right one), wrong-state, wrong-iss,
  missing-iss, duplicate (the right callback twice), wrong-path-first (another path, then the right one),
  nothing (opens no page), fail (exit status 1),
  write (URL into the file STRICT_BROWSER_FILE, no page opened),
  write-callback (signs in, and writes the callback address into that file instead of calling it),
  xdg-open (signs in, and opens the callback address, which may be an app's own, as a desktop does).
"""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.error
import urllib.request
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


# The address is on loopback, so a proxy of the environment has no business in between.
_opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def fetch(url: str, headers: dict[str, str]) -> str | None:
    """Where the page at `url` redirects to, if it does."""
    try:
        with _opener.open(urllib.request.Request(url, headers=headers), timeout=30):
            return None
    except urllib.error.HTTPError as error:
        location = error.headers.get("Location") if 300 <= error.code < 400 else None
        return urljoin(url, location) if location else None


def callback_of(url: str, mood: str) -> str:
    """The first address on another origin: that is the client's."""
    origin = urlsplit(url)[:2]
    for _ in range(10):
        following = fetch(url, {"X-Strict-Decision": "deny"} if mood == "deny" else {})
        if following is None:
            sys.exit(f"browser: no redirect from {urlsplit(url).path}")
        if urlsplit(following)[:2] != origin:
            return following
        url = following
    sys.exit("browser: too many redirects")


def changed(callback: str, **changes: str | None) -> str:
    parts = urlsplit(callback)
    parameters = {**dict(parse_qsl(parts.query)), **changes}
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return urlunsplit(parts._replace(query=query))


def callbacks(callback: str, mood: str) -> list[str]:
    wrong_state = changed(callback, state="forged-state-forged-state", code="forged-code")
    match mood:
        case "wrong-state-first":
            return [wrong_state, callback]
        case "wrong-state":
            return [wrong_state]
        case "wrong-iss":
            return [changed(callback, iss="https://attacker.example")]
        case "missing-iss":
            return [changed(callback, iss=None)]
        case "duplicate":
            return [callback, callback]
        case "wrong-path-first":
            return [urlunsplit(urlsplit(callback)._replace(path="/favicon.ico", query="")), callback]
    return [callback]


def main() -> None:
    url, mood = sys.argv[1], os.environ.get("STRICT_BROWSER", "approve")
    if mood == "nothing":
        return
    if mood == "fail":
        sys.exit(1)
    if mood == "write":
        write(url)
        return
    callback = callback_of(url, mood)
    if mood == "write-callback":
        write(callback)
        return
    if mood == "xdg-open":
        sys.exit(subprocess.run(["xdg-open", callback], check=False).returncode)
    for each in callbacks(callback, mood):
        try:
            fetch(each, {})
        except OSError:
            if mood != "duplicate":  # the listener may be gone by the second time
                raise


def write(text: str) -> None:
    """Whole or not at all, so that a test that waits for the file never reads half of it."""
    path = os.environ["STRICT_BROWSER_FILE"]
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(f"{path}.new", path)


if __name__ == "__main__":
    main()
