#!/usr/bin/env python3
"""A backend with guest sessions: prints one line of JSON when it is ready, and ends when its stdin closes.

Guests get a JWT for 15 minutes and 5 edits a day, counted by SHA-256(address + device id); guest_backend.md says the rest.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import sys
import threading
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "StrictServer"))

from strict.wire import Origin, Presence, Request, Response, json_response  # noqa: E402

DAY = 86400  # seconds


class Backend:
    """Everything that the backend knows, and what a test has told it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.secret = secrets.token_bytes(32)
        self.base = ""
        self.settings = {
            "lifetime": 900,  # seconds that a guest token lives
            "exp": "integer",  # integer | float | string | none: how the token says so
            "expires_in": True,  # whether the answer says so
            "sub": True,  # whether the token names its guest
            "edits_per_day": 5,
            "guests_per_day": None,  # None: guest sessions themselves are not limited
            "drops_device_id": False,  # as if a proxy on the way had dropped it
            "answer": None,  # {"status", "body", "headers"}: said to every POST /api/auth/guest instead
            "clock_offset": 0,  # seconds
        }
        self.edits: dict[str, list[float]] = {}
        self.guests: dict[str, list[float]] = {}
        self.requests: list[dict] = []
        self.given: list[str] = []  # every token
        self.revoked_before = 0.0

    def now(self) -> float:
        return time.time() + self.settings["clock_offset"]

    def answer(self, request: Request) -> Response:
        if request.path.startswith("/control/"):
            return self.control(request)
        with self.lock:
            response = self.serve(request)
            self.requests.append({
                "method": request.method, "path": request.path, "status": response.status,
                "device_id": request.value("X-Device-ID"), "authorized": request.value("Authorization") is not None,
                "api_key": request.value("X-API-Key"),
            })
            return response

    def serve(self, request: Request) -> Response:
        device = None if self.settings["drops_device_id"] else request.value("X-Device-ID")
        if request.path == "/api/auth/guest":
            return self.begin(request, device)
        scheme, _, token = (request.value("Authorization") or "").partition(" ")
        if scheme != "Bearer":
            return error(401, "UNAUTHORIZED", "Authentication required")
        if not self.is_valid(token):
            return error(401, "UNAUTHORIZED", "Invalid or expired token")
        if not is_uuid(device):
            return error(400, "BAD_REQUEST", "X-Device-ID header is required for guest users")
        if request.path != "/api/edit":
            return json_response(200, {"ok": True}, self.limit(self.edits, device, self.settings["edits_per_day"]))
        return self.spend(self.edits, device, self.settings["edits_per_day"]) or json_response(
            200, {"ok": True}, self.limit(self.edits, device, self.settings["edits_per_day"]))

    def begin(self, request: Request, device: str | None) -> Response:
        if request.method != "POST":
            return error(405, "METHOD_NOT_ALLOWED", "POST it")
        if (said := self.settings["answer"]) is not None:
            return Response(said.get("status", 200), list(map(tuple, said.get("headers", []))),
                            said.get("body", "").encode())
        if not is_uuid(device):
            return error(400, "BAD_REQUEST", "X-Device-ID header is required for guest users")
        most = self.settings["guests_per_day"]
        if most is not None and (refusal := self.spend(self.guests, device, most)) is not None:
            return refusal
        answer = {
            "guestToken": self.token(),
            "limitations": {"maxEditsPerDay": self.settings["edits_per_day"],
                            "featuresDisabled": ["save", "history", "premium_templates"]},
        }
        if self.settings["expires_in"]:
            answer["expiresIn"] = self.settings["lifetime"]
        return json_response(200, answer, self.limit(self.edits, device, self.settings["edits_per_day"]))

    # Tokens

    def token(self) -> str:
        claims: dict[str, object] = {"jti": secrets.token_hex(8), "iat": self.now(), "guest": True}
        if self.settings["sub"]:
            claims["sub"] = f"guest-{secrets.token_hex(8)}"
        end = int(self.now() + self.settings["lifetime"])
        spelling = {"integer": end, "float": end + 0.5, "string": str(end)}.get(self.settings["exp"])
        if spelling is not None:
            claims["exp"] = spelling
        signed = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        self.given.append(f"{signed}.{encoded(self.signature(signed))}")
        return self.given[-1]

    def signature(self, signed: str) -> bytes:
        return hmac.new(self.secret, signed.encode(), hashlib.sha256).digest()

    def is_valid(self, token: str) -> bool:
        signed, _, signature = token.rpartition(".")
        if not hmac.compare_digest(signature, encoded(self.signature(signed))):
            return False
        body = signed.partition(".")[2]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return claims["iat"] > self.revoked_before and float(claims.get("exp", self.now() + 1)) > self.now()

    # Limits

    def window(self, counts: dict[str, list[float]], device: str) -> list[float]:
        """When this device has spent something, in the 24 hours that roll."""
        key = hashlib.sha256(f"127.0.0.1{device}".encode()).hexdigest()
        counts[key] = [moment for moment in counts.get(key, []) if moment > self.now() - DAY]
        return counts[key]

    def limit(self, counts: dict[str, list[float]], device: str, most: int) -> list[tuple[str, str]]:
        spent = self.window(counts, device)
        resets = (spent[0] if spent else self.now()) + DAY
        return [("X-RateLimit-Limit", str(most)), ("X-RateLimit-Remaining", str(max(most - len(spent), 0))),
                ("X-RateLimit-Reset", str(int(resets)))]

    def spend(self, counts: dict[str, list[float]], device: str, most: int) -> Response | None:
        spent = self.window(counts, device)
        if len(spent) < most:
            spent.append(self.now())
            return None
        wait = int((spent[0] if spent else self.now()) + DAY - self.now())
        return error(429, "RATE_LIMIT_EXCEEDED", f"You have reached your daily limit of {most}",
                     [*self.limit(counts, device, most), ("Retry-After", str(wait))])

    # Control

    def control(self, request: Request) -> Response:
        name = request.path.removeprefix("/control/")
        value = json.loads(request.body) if request.body else {}
        with self.lock:
            if name == "settings":
                if unknown := set(value) - set(self.settings):
                    return json_response(400, {"error": f"unknown settings: {sorted(unknown)}"})
                self.settings.update(value)
                return json_response(200, self.settings)
            if name == "revoke":
                self.revoked_before = self.now()
                return json_response(200, {})
            if name == "secrets":
                return json_response(200, {"guest_token": self.given})
            if name == "log":
                return json_response(200, {"requests": self.requests})
        return json_response(404, {"error": f"no such command: {name}"})


def error(status: int, code: str, message: str, headers: list[tuple[str, str]] | None = None) -> Response:
    return json_response(status, {"error": {"code": code, "message": message}}, headers)


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def is_uuid(text: str | None) -> bool:
    try:
        return text is not None and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def main() -> None:
    backend = Backend()
    origin = Origin("guests", backend.answer, lambda: True, Presence())
    backend.base = origin.base
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    print(json.dumps({"backend": origin.base, "pid": os.getpid()}), flush=True)
    # A test that dies cannot clean up, but its end of the pipe closes whatever happens.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
