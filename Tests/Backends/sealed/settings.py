"""What a test may choose about the backend. All durations are seconds."""

from __future__ import annotations

from dataclasses import dataclass, field, fields


@dataclass
class Settings:
    # Who lives there, and where their sign-in ends
    did: str = "did:plc:alice"
    handle: str = "alice.example.com"
    display_name: str | None = None
    callback: str = "anchor://auth-callback"
    callback_override: dict = field(default_factory=dict)  # parameters; None removes one, a list repeats it
    start_error: str | None = None  # what /api/auth/mobile-start is answered with, 400
    start_error_alone: bool = False  # {"error"} without "success", as some backends do
    start_override: dict = field(default_factory=dict)
    # Sessions
    lifetime: float = 3600  # of what is confirmed or extended
    extends: bool = True  # a confirmation counts `lifetime` anew; else only a refresh does
    expires_unit: str = "ms"  # ms | s | iso | none
    roll: bool = False  # every confirmation brings a new seal
    keep_old_seals: bool = False  # else a seal that was replaced is worthless at once
    cookies: list = field(default_factory=list)  # more Set-Cookie fields of a confirmation, before the rolled one
    reason: str | None = None  # every session is refused for it
    session_override: dict = field(default_factory=dict)  # of a confirmation; None removes a member
    refresh: str = "on"  # on | fail (500) | refuse (401)
    refresh_override: dict = field(default_factory=dict)  # of its payload

    def merge(self, changes: dict) -> None:
        """Takes over `changes`; an unknown name is a mistake in the test, so it is an error."""
        unknown = set(changes) - {f.name for f in fields(self)}
        if unknown:
            raise ValueError(f"unknown settings: {sorted(unknown)}")
        for name, value in changes.items():
            setattr(self, name, value)


def overridden(value: dict, changes: dict) -> dict:
    """The same with some members changed, and those taken away that are changed to None."""
    return {name: each for name, each in {**value, **changes}.items() if each is not None}
