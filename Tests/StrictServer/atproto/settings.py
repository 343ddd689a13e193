"""What a test may choose about the network; the defaults are the numbers of the reference server."""

from __future__ import annotations

from dataclasses import dataclass, field

from strict.settings import Settings

from .accounts import HANDLES
from .dns_answers import check_answer

DAY = 86400  # seconds
_CHANGES = {"handle", "pds", "also_known_as", "document", "status"}


@dataclass
class NetworkSettings(Settings):
    """The strict server's settings with other defaults, and the network's own. All durations are seconds."""

    par_dpop: str = "required"
    iat_window: float = 180
    nonce_keep: int = 2  # with the current one, and 60 s each, a nonce lives for 3 minutes
    code_lifetime: float = 300
    sub_in_response: bool = True
    # Identities
    accounts: dict = field(default_factory=dict)  # first handle → what is different about that account
    dns: dict = field(default_factory=dict)  # handle → what its TXT query is answered
    resource_override: dict = field(default_factory=dict)  # of the protected resource's metadata
    # Sessions
    par_lifetime: float = 300
    session_lifetime: float = 14 * DAY  # from sign-in, of a public client; renewing does not extend it
    self_hosted: bool = False  # a renewal kills the access tokens before it
    signs_in: str | None = None  # the first handle of the account that signs in without a login_hint
    callback_override: dict = field(default_factory=dict)
    token_override: dict = field(default_factory=dict)
    # Clients
    hosted_override: dict = field(default_factory=dict)  # of the client metadata that the network hosts
    client_documents: dict = field(default_factory=dict)  # client_id → metadata that needs no fetching

    def merge(self, changes: dict) -> None:
        """Takes over `changes`; an account, a member or an answer that does not exist is a mistake in the test."""
        for handle, change in changes.get("accounts", {}).items():
            if handle not in HANDLES or not set(change) <= _CHANGES:
                raise ValueError(f"no such account or member: {handle}, {sorted(set(change) - _CHANGES)}")
        for answer in changes.get("dns", {}).values():
            check_answer(answer)
        if changes.get("signs_in") not in (None, *HANDLES):
            raise ValueError("signs_in is no account")
        super().merge(changes)


def overridden(value: dict, changes: dict) -> dict:
    """`value` with `changes`, of which null removes a member."""
    return {name: member for name, member in {**value, **changes}.items() if member is not None}
