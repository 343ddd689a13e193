"""Who there is on the network: each account's DID, handle, data server and document, as they stand now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from .settings import NetworkSettings

PLC = {"alice.test": "did:plc:alicetestaccountaaaaaaaa", "carol.test": "did:plc:caroltestaccountaaaaaaaa",
       "mallory.test": "did:plc:mallorytestaccountaaaaaa"}
# bob.test is a did:web, of which only a running server knows the port.
HOMES = {"alice.test": "pds", "bob.test": "pds", "carol.test": "pds2", "mallory.test": "pds"}
HANDLES = tuple(HOMES)
CONTEXT = ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"]


@dataclass
class Account:
    key: str  # the handle that it began with
    did: str
    change: dict  # what the settings say about it

    @property
    def handle(self) -> str:
        return self.change.get("handle", self.key)

    @property
    def home(self) -> str:
        """`pds`, `pds2`, or the address of a data server that is not of this network."""
        return self.change.get("pds", HOMES[self.key])


class Accounts:
    def __init__(self, settings: NetworkSettings, base: Callable[[str], str]):
        self._settings, self._base = settings, base

    def all(self) -> list[Account]:
        return [Account(key, PLC.get(key) or self._web_did(), self._settings.accounts.get(key, {})) for key in HANDLES]

    def _web_did(self) -> str:
        return "did:web:" + quote(self._base("web").removeprefix("http://"), safe="")

    def find(self, identifier: str | None) -> Account | None:
        """The account with this DID, or with this handle now."""
        return next((a for a in self.all() if identifier in (a.did, a.handle)), None)

    def document(self, account: Account) -> dict:
        """The DID document, in the spelling that is usual for the account's method."""
        is_web = account.did.startswith("did:web:")
        prefix = account.did if is_web else ""  # PLC writes fragments, others often whole URLs
        home = account.home
        names = [f"at://{account.handle}"]
        value = {
            "@context": CONTEXT,
            "id": account.did,
            # A document may name its subject in other ways too, and before its handle.
            "alsoKnownAs": account.change.get("also_known_as", ["https://bob.example", *names] if is_web else names),
            "verificationMethod": [{"id": f"{account.did}#atproto", "type": "Multikey", "controller": account.did,
                                    "publicKeyMultibase": "zQ3shmadeUpForTestsAndNeverUsedToVerifyAnything"}],
            "service": [
                {"id": f"{prefix}#other", "type": "OtherService", "serviceEndpoint": "https://other.example"},
                {"id": f"{prefix}#atproto_pds", "type": "AtprotoPersonalDataServer",
                 "serviceEndpoint": self._base(home) if home in ("pds", "pds2") else home},
            ],
        }
        changed = {**value, **account.change.get("document", {})}
        return {name: member for name, member in changed.items() if member is not None}
