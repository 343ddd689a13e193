"""The requests that were made, their answers, and every mistake among them."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

Rank = tuple[int, int]  # of a credential: the later session, and in it the later token, ranks higher

# What may come of a request, by the keyring's state from its beginning to its end. A token that the server rejects
# while it is being locked can't be renewed: the server's answer is passed on.
_ANSWERS = {"open": {200}, "locked": {503}, "changing": {200, 401, 503}}


@dataclass(frozen=True, eq=False)
class Period:
    """A time in which the keyring's state is the same."""

    keyring: str


@dataclass
class Begun:
    """A request, and what was known when it began."""

    period: Period
    newest: Rank  # no credential before this one is good any more
    has_arrived: bool = False


class Ledger:
    """Every request from its first byte to its answer's last. The event loop's, apart from what says otherwise."""

    def __init__(self) -> None:
        self.total = 0
        self.begun = 0
        self.answered = 0
        self.statuses: Counter[int] = Counter()
        self.wrong: Counter[str] = Counter()
        self._open: dict[int, Begun] = {}
        self._period = Period("open")
        self._newest: Rank = (0, 0)
        self._awaited = 0
        self._reached = threading.Event()

    def change_keyring(self, state: str) -> None:
        """Begins a period. To be called from any thread: before a change and after it."""
        if state not in _ANSWERS:
            raise ValueError(f"unknown state of the keyring: {state}")
        self._period = Period(state)

    def replace_credential(self, rank: Rank) -> None:
        """Makes older credentials wrong in requests that begin from now on. To be called from any thread."""
        self._newest = max(self._newest, rank)

    def wait(self, answered: int, timeout: float) -> bool:
        """Waits until so many are answered; one thread at a time, never the event loop's."""
        self._reached.clear()
        self._awaited = answered
        return self.answered >= answered or self._reached.wait(timeout)

    def begin(self) -> int | None:
        """The number of a new request; None when all were made."""
        if self.begun == self.total:
            return None
        self.begun += 1
        self._open[self.begun] = Begun(self._period, self._newest)
        return self.begun

    def receive(self, number: int, rank: Rank) -> None:
        """A request has reached the server, with a credential of this rank."""
        begun = self._open.get(number)
        if begun is None or begun.has_arrived:
            self.wrong["a request was sent twice"] += 1
            return
        begun.has_arrived = True
        if rank < begun.newest:
            self.wrong["a request carries a credential that was replaced before it began"] += 1

    def answer(self, number: int, status: int, is_own: bool) -> None:
        """A request has its answer."""
        begun = self._open.pop(number)
        state = begun.period.keyring if begun.period is self._period else "changing"
        if status not in _ANSWERS[state]:
            self.wrong[f"status {status} while the keyring is {state}"] += 1
        if status == 200 and not is_own:
            self.wrong["a request got another one's answer"] += 1
        self.statuses[status] += 1
        self._count()

    def lose(self, number: int) -> None:
        """A request's connection ended without an answer."""
        del self._open[number]
        self.wrong["a request got no answer"] += 1
        self._count()

    def _count(self) -> None:
        self.answered += 1
        if self.answered == self._awaited:
            self._reached.set()
