"""DPoP nonces of one origin: rotated by time, by count, or by the test's word (RFC 9449 §8, §9)."""

from __future__ import annotations

import secrets
import threading
import time

from .settings import Settings


class NonceBook:
    """The nonces that one origin hands out. The name in each lets the other origin recognise a mix-up."""

    def __init__(self, origin: str, settings: Settings):
        self.origin, self._settings = origin, settings
        self._lock = threading.Lock()
        self._older: list[str] = []
        self._renew()

    def _renew(self) -> None:
        self._current = f"{self.origin}-{secrets.token_urlsafe(16)}"
        self._born, self._used = time.monotonic(), 0

    def _rotate(self) -> None:
        self._older = [self._current, *self._older][:8]
        self._renew()

    def _rotate_when_old(self) -> None:
        seconds = self._settings.nonce_seconds
        if not seconds:
            return
        periods = int((time.monotonic() - self._born) / seconds)
        # A nonce that slept through several periods is as old as they are, so each one pushes it back.
        for _ in range(min(periods, 8)):
            self._rotate()

    def current(self) -> str:
        with self._lock:
            self._rotate_when_old()
            return self._current

    def accepts(self, nonce: object) -> bool:
        with self._lock:
            self._rotate_when_old()
            if nonce == self._current:
                self._used += 1
                if self._settings.nonce_uses and self._used >= self._settings.nonce_uses:
                    self._rotate()
                return True
            return nonce in self._older[: self._settings.nonce_keep]

    def forget(self) -> None:
        """Makes every nonce given out so far stale."""
        with self._lock:
            self._older = []
            self._renew()
