#!/usr/bin/env -S python3 -S -E
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
import socket
import sys
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit


def fetch(url: str, headers: dict[str, str]) -> str | None:
    """Where the page at `url` redirects to, if it does.

    As little of HTTP as that needs: this runs for every sign-in, and modules take longer to load than it does.
    """
    parts = urlsplit(url)
    lines = [f"GET {urlunsplit(('', '', parts.path or '/', parts.query, ''))} HTTP/1.1", f"Host: {parts.netloc}",
             "Connection: close", *(f"{name}: {value}" for name, value in headers.items())]
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
        connection.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1"))
        with connection.makefile("rb") as answer:
            status = answer.readline().decode("latin-1")
            fields = {}
            while line := answer.readline().decode("latin-1").rstrip("\r\n"):
                name, _, value = line.partition(":")
                fields[name.lower()] = value.strip()
    if not status.startswith("HTTP/1."):
        raise OSError(f"no answer: {status!r}")
    return urljoin(url, fields["location"]) if status[9] == "3" and "location" in fields else None


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
        os.execvp("xdg-open", ["xdg-open", callback])
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
