"""What a test may choose about the server, with the strict choice as the default."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields


def _default_clients() -> dict:
    return {"acct-test": {"redirect_uris": ["http://127.0.0.1/callback", "http://[::1]/callback"]}}


@dataclass
class Settings:
    """One value per choice; README.md says what each does. All durations are seconds."""

    # Clients and bindings
    clients: dict = field(default_factory=_default_clients)
    scopes: list | None = None  # None: whatever is asked for
    dpop: str = "required"  # required | optional | off
    loopback_names: bool = False  # whether "localhost" is a loopback address, too
    require_dpop_jkt: bool = False
    par: str = "required"  # required | offered | off
    par_dpop: str = "optional"  # optional | required
    assertion_audience: str = "issuer"  # issuer | token: whom a client's assertion is for
    # Proofs and nonces
    iat_window: float = 60
    as_nonce: bool = True
    rs_nonce: bool = True
    nonce_uses: int = 0  # 0: not rotated by count
    nonce_seconds: float = 60  # 0: not rotated by time
    nonce_keep: int = 1  # how many older nonces still pass
    nonce_on_metadata: bool = False
    clock_offset: float = 0
    # Tokens
    token_format: str = "jwt"  # jwt | opaque
    lifetime: float = 3600  # how long an access token truly works
    expires_in: object = "lifetime"  # what is said about it: "lifetime", None (left out), or any value
    jwt_exp: str = "integer"  # integer | float | string | none
    lowercase_token_type: bool = False
    give_refresh: bool = True
    rotate_refresh: bool = True
    subject: str = "user-1"
    sub_in_response: bool = False
    # Authorization and device flow
    authorize: str = "approve"  # approve | deny
    code_lifetime: float = 60
    device_interval: float | None = 5  # None: left out, and 5 is enforced
    device_expires_in: float = 600
    device_approve_after: int | None = None  # polls
    # The rest
    revocation: str = "on"  # on | off | unauthorized | unavailable
    metadata_at: list = field(default_factory=lambda: ["oauth-authorization-server"])
    metadata_override: dict = field(default_factory=dict)  # None removes a member
    resource_metadata: str = "off"  # off | challenge | well-known
    resource_headers: dict = field(default_factory=dict)
    keep_alive: bool = True

    def merge(self, changes: dict) -> None:
        """Takes over `changes`; an unknown name is a mistake in the test, so it is an error."""
        known = {f.name for f in fields(self)}
        unknown = set(changes) - known
        if unknown:
            raise ValueError(f"unknown settings: {sorted(unknown)}")
        for name, value in changes.items():
            setattr(self, name, value)

    def replace_by(self, other: Settings) -> None:
        """Becomes a copy of `other` in place, since every part holds a reference to this one."""
        for f in fields(self):
            setattr(self, f.name, copy.deepcopy(getattr(other, f.name)))
