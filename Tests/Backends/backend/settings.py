"""What a test may choose about a backend; README.md says what each does."""

from __future__ import annotations

from dataclasses import dataclass, field, fields


@dataclass
class HandoffSettings:
    callback: str = "limit://auth"
    account: str = "alice.test"  # who signs in where no handle was sent
    signs_in: str | None = None  # who signs in whatever was asked for
    key: str = "plain"  # plain | wrapped | typed | missing | null | another
    issue: dict = field(default_factory=dict)  # for the network's `issue`
    start: dict = field(default_factory=dict)  # members of the answer; null stays null
    tokens: dict = field(default_factory=dict)
    without: list = field(default_factory=list)  # members that the tokens' answer lacks
    faults: dict = field(default_factory=dict)  # "start" or "tokens" → {"status", "body", "type", "headers", "breakage"}

    def merge(self, changes: dict) -> None:
        """Takes over `changes`; an unknown name is a mistake in the test, so it is an error."""
        unknown = set(changes) - {each.name for each in fields(self)}
        if unknown:
            raise ValueError(f"unknown settings: {sorted(unknown)}")
        for name, value in changes.items():
            setattr(self, name, value)
