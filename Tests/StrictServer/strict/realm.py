"""Everything that the endpoints share: settings, clock, store, nonces, faults, trace and the origins' names."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric import ec

from .nonces import NonceBook
from .settings import Settings
from .store import Store
from .testing.faults import FaultTable
from .testing.trace import Trace
from .wire import Presence, Request


class Realm:
    def __init__(self, settings: Settings, issuer_path: str = ""):
        self.initial = copy.deepcopy(settings)
        self.settings = settings
        self.issuer_path = issuer_path
        self.store = Store()
        self.faults = FaultTable()
        self.trace = Trace()
        self.presence = Presence()
        self.nonces = {name: NonceBook(name, settings) for name in ("as", "rs")}
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.platform = ec.generate_private_key(ec.SECP256R1())  # of the issuer that it trusts
        self.bases: dict[str, str] = {}  # origin name → scheme, host and port
        self.commands: dict[str, Callable[[Realm, Request, object], object]] = {}  # more of the control API's

    @property
    def issuer(self) -> str:
        return self.bases["as"] + self.issuer_path

    def now(self) -> float:
        """The server's own idea of the time, which a test may set wrong (seconds since 1970)."""
        return time.time() + self.settings.clock_offset

    def nonce_required(self, origin: str) -> bool:
        return {"as": self.settings.as_nonce, "rs": self.settings.rs_nonce}.get(origin, False)

    def reset(self) -> None:
        """Back to the start; only the jtis and the nonces are remembered, as a server would."""
        self.settings.replace_by(self.initial)
        self.faults.clear()
        self.faults.release()
        self.store.reset()
        self.trace.clear()
