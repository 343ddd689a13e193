"""The server's memory: sessions, their tokens, and everything that is good for one use."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import Counter
from dataclasses import dataclass, field


def digest(token: str) -> str:
    """What stands for a token in tables and logs (SHA-256, hexadecimal)."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class Session:
    sub: str
    client_id: str
    scope: str | None
    jkt: str | None  # None: a bearer session
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    ended: str | None = None  # the reason
    refreshes: int = 0


@dataclass
class AccessToken:
    session: Session
    expires_at: float
    revoked: bool = False


@dataclass
class RefreshToken:
    session: Session
    used: bool = False


@dataclass
class AuthorizationRequest:
    client_id: str
    redirect_uri: str
    state: str
    code_challenge: str
    scope: str | None
    jkt: str | None
    expires_at: float = 0
    used: bool = False


@dataclass
class Code:
    request: AuthorizationRequest
    expires_at: float
    used: bool = False
    session: Session | None = None  # what it gave


@dataclass
class DeviceGrant:
    client_id: str
    scope: str | None
    user_code: str
    expires_at: float
    interval: float
    state: str = "pending"  # pending | approved | denied | expired | used
    last_poll: float | None = None  # monotonic seconds
    polls: int = 0


class Store:
    """Tables by digest. A caller that reads and then writes holds `lock`."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.jtis: set[str] = set()  # unique for ever, so not part of a reset
        self.reset()

    def reset(self) -> None:
        with self.lock:
            self.counts: Counter[str] = Counter()
            self.sessions: list[Session] = []
            self.access: dict[str, AccessToken] = {}
            self.refresh: dict[str, RefreshToken] = {}
            self.pushed: dict[str, AuthorizationRequest] = {}
            self.codes: dict[str, Code] = {}
            self.devices: dict[str, DeviceGrant] = {}
            self.secrets: dict[str, str] = {}  # each secret given out → its kind, to find it where it must not be

    def remember_secret(self, kind: str, value: str) -> str:
        self.secrets[value] = kind
        return value

    def open_session(self, session: Session) -> Session:
        self.sessions.append(session)
        return session

    def end_session(self, session: Session, reason: str) -> None:
        """Ends the session and with it all of its tokens."""
        with self.lock:
            if session.ended is None:
                session.ended = reason
                self.counts["sessions_ended"] += 1
