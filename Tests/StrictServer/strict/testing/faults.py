"""Faults that a test sets: which endpoint, how often, and whether the request takes effect first."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field

ENDPOINTS = {"*", "metadata", "par", "authorize", "token", "device_authorization", "revoke", "resource"}
KINDS = {"delay", "status", "reset", "close", "close_after", "hang", "truncated", "html", "endless",
         "redirect", "error", "echo", "nonce_challenge", "date", "mislabelled"}
# Names for what is asked for most, in terms of the kinds.
SHORTHANDS = {
    "500": {"kind": "status", "status": 500},
    "503": {"kind": "status", "status": 503, "retry_after": "7"},
    "429": {"kind": "status", "status": 429, "retry_after": "7"},
    "empty_403": {"kind": "status", "status": 403},
    "invalid_grant": {"kind": "error", "error": "invalid_grant"},
    "invalid_code": {"kind": "error", "error": "invalid_code"},
    "lost": {"kind": "reset", "process": True},
}


@dataclass
class Fault:
    endpoint: str
    kind: str
    count: int | None = 1  # None: for ever
    skip: int = 0  # that many requests pass first
    grant_type: str | None = None  # only token requests of this grant
    process: bool = False  # the request takes effect before the answer goes wrong
    ms: int | None = None  # delay; None: until the release. endless: pause between chunks
    status: int | None = None
    retry_after: str | None = None
    body: str = ""
    type: str = ""  # of the body; none is said without it
    error: str = "invalid_grant"
    location: str | None = None
    offset: float = 3600  # date: seconds
    short: bool = False  # truncated: the Content-Length promises more
    hits: int = field(default=0)

    @classmethod
    def parse(cls, value: dict) -> Fault:
        """The fault of a control request; a mistake in it is a ValueError, never a fault that does nothing."""
        value = {**value, **SHORTHANDS.get(str(value.get("kind")), {})}
        try:
            fault = cls(**value)
        except TypeError as error:
            raise ValueError(str(error)) from None
        if fault.endpoint not in ENDPOINTS or fault.kind not in KINDS:
            raise ValueError(f"no such endpoint or kind: {fault.endpoint}, {fault.kind}")
        return fault


class FaultTable:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._faults: list[Fault] = []
        self._held = 0
        self._releases = 0

    def add(self, fault: Fault) -> None:
        with self._changed:
            self._faults.append(fault)

    def clear(self) -> None:
        with self._changed:
            self._faults = []

    def listed(self) -> list[dict]:
        with self._changed:
            return [asdict(fault) for fault in self._faults]

    def take(self, endpoint: str, grant_type: str | None) -> Fault | None:
        """The first fault meant for this request, counted down."""
        with self._changed:
            for fault in self._faults:
                if fault.endpoint not in ("*", endpoint) or fault.grant_type not in (None, grant_type):
                    continue
                if fault.count == 0:
                    continue
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                if fault.count is not None:
                    fault.count -= 1
                fault.hits += 1
                return fault
        return None

    def hold(self, seconds: float | None = None) -> None:
        """Blocks until the next release, or for `seconds`."""
        with self._changed:
            mine = self._releases
            self._held += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._releases != mine, seconds)
            self._held -= 1

    def release(self) -> int:
        with self._changed:
            self._releases += 1
            self._changed.notify_all()
            return self._held

    def wait_for_held(self, count: int, timeout: float) -> bool:
        """Waits until at least `count` requests are held (timeout in seconds)."""
        with self._changed:
            return self._changed.wait_for(lambda: self._held >= count, timeout)
