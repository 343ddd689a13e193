"""The sessions that the backend keeps, and the seals under which its clients know them."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Session:
    did: str
    handle: str
    expires_at: float
    seals: list[str] = field(default_factory=list)  # the newest last
    ended: str | None = None  # the reason


class Store:
    """A caller that reads and then writes holds `lock`."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.sessions: list[Session] = []
        self.starts: dict[str, dict] = {}  # state of a sign-in → what was asked for
        self.challenges: set[str] = set()
        self.counts: Counter[str] = Counter()

    def seal(self, session: Session) -> str:
        """A new seal, in the shape of iron's eight fields with iron-session's version behind them."""
        parts = [secrets.token_hex(32), secrets.token_urlsafe(16), secrets.token_urlsafe(64),
                 str(int(time.time() * 1000) + 86_400_000), secrets.token_hex(32), secrets.token_urlsafe(32)]
        session.seals.append("*".join(["Fe26.2", "1", *parts]) + "~2")
        return session.seals[-1]

    def find(self, seal: str | None, any_age: bool) -> Session | None:
        for session in self.sessions:
            if seal is not None and seal in (session.seals if any_age else session.seals[-1:]):
                return session
        return None

    def every_seal(self) -> list[str]:
        return [seal for session in self.sessions for seal in session.seals]
