"""What every backend is strict about: one JSON object, the right fields, and no credential of another account."""

from __future__ import annotations

from strict import jose
from strict.wire import Request

# None of these has any business at a sign-in.
FOREIGN_FIELDS = ("Authorization", "Cookie", "DPoP", "X-Device-ID", "Referer", "Origin")


class Violation(Exception):
    """What only a wrong client sends, in words for the person who reads the test's output."""


def json_members(request: Request) -> dict:
    """The members of a JSON request. Raises Violation."""
    if request.method != "POST":
        raise Violation(f"{request.method} instead of POST")
    if "?" in request.target:
        raise Violation("a query on a call that has none")
    if request.values("Content-Type") != ["application/json"]:
        raise Violation("Content-Type is not application/json")
    if request.values("Accept") != ["application/json"]:
        raise Violation("Accept is not application/json")
    for name in FOREIGN_FIELDS:
        if request.values(name):
            raise Violation(f"{name} at a sign-in")
    try:
        return jose.parse_object(request.body)
    except jose.JOSEError as error:
        raise Violation(f"the body: {error}") from None
