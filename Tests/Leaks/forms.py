"""The forms in which a secret could turn up where it must not be."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

TAIL = 20  # bytes: of a secret that was cut short for a message, the part that no other text has

KEYS = {"key", "client_key", "vault_key", "wrapping_key"}  # are written as base64url, and are bytes
HEX_KEYS = {"machine_key"}  # as hexadecimal digits


def forms(kind: str, text: str) -> Iterator[tuple[str, bytes]]:
    """Names and bytes, each a trace of the secret that nothing else would leave."""
    raw = text.encode()
    yield from _encoded("", raw)
    if len(raw) > 2 * TAIL:
        middle = len(raw) // 2
        yield "its end", raw[-TAIL:]
        yield "its middle", raw[middle - TAIL // 2:middle + TAIL // 2]
    if kind in KEYS | HEX_KEYS:
        scalar = bytes.fromhex(text) if kind in HEX_KEYS else base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        yield from _encoded("the scalar ", scalar)
        yield "the scalar reversed", scalar[::-1]  # as OpenSSL's words lie in memory


def _encoded(prefix: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    yield f"{prefix}plain", raw
    yield f"{prefix}hex", raw.hex().encode()
    yield f"{prefix}HEX", raw.hex().upper().encode()
    for quoted in {quote(raw, safe="").encode(), quote(raw).encode(), quote_plus(raw).encode()} - {raw}:
        yield f"{prefix}percent", quoted
        yield f"{prefix}percent, lower case", _lower(quoted)
    for shift in range(3):
        # Whatever stands before and behind it, these characters depend on the secret alone.
        whole = base64.b64encode(b"\0" * shift + raw)
        end = -4 if (shift + len(raw)) % 3 else None
        middle = whole[4 if shift else 0:end]
        yield f"{prefix}base64", middle
        if b"+" in middle or b"/" in middle:
            yield f"{prefix}base64url", middle.replace(b"+", b"-").replace(b"/", b"_")


def _lower(quoted: bytes) -> bytes:
    parts = quoted.split(b"%")
    return b"%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def read(path: str) -> list[tuple[str, str, bytes]]:
    """Every form of the secrets in a file, JSON `{"kind": ["secret", …], …}`, with kind and name."""
    with open(path, encoding="utf-8") as file:
        secrets = json.load(file)
    return [(kind, name, form) for kind, values in secrets.items() for value in sorted(set(values))
            for name, form in forms(kind, value)]
