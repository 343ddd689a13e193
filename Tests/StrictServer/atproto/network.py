"""The whole network: two houses, the public documents, DNS, one set of settings, faults and records."""

from __future__ import annotations

import threading

from strict.testing import faults
from strict.store import Store
from strict.wire import Presence, Request, Response

from .accounts import Accounts
from .control import control
from .dns_server import DNSServer
from .house import House
from .identities import Identities
from .settings import NetworkSettings
from .trace import NetworkTrace

# The network's own endpoints can go wrong too.
faults.ENDPOINTS.update({"resource_metadata", "plc", "did", "client"})


class Network:
    def __init__(self, settings: NetworkSettings):
        self.settings = settings
        self.faults = faults.FaultTable()
        self.presence = Presence()
        self.trace = NetworkTrace(self)
        self.houses: list[House] = []
        self.identities = Identities(self)
        self.accounts = Accounts(settings, self.base)
        self.houses = [House(self, name) for name in ("pds", "pds2")]
        for house in self.houses:
            house.realm.store.jtis = self.houses[0].realm.store.jtis  # unique everywhere
        self.dns = DNSServer(self)

    def start(self) -> None:
        origins = [*self.identities.origins.values(), *(each for house in self.houses for each in house.origins)]
        for origin in origins:
            threading.Thread(target=origin.serve_forever, daemon=True).start()
        self.dns.start()

    def bases(self) -> dict[str, str]:
        """Every HTTP origin by its name in the log."""
        names = {name: origin.base for name, origin in self.identities.origins.items()}
        for house in self.houses:
            suffix = house.name.removeprefix("pds")
            names |= {f"as{suffix}": house.issuer, house.name: house.data_server,
                      f"elsewhere{suffix}": house.realm.bases["elsewhere"]}
        return names

    def base(self, name: str) -> str:
        return self.bases()[name]

    def name_of(self, base: str) -> str:
        return next((name for name, each in self.bases().items() if each == base), "dns")

    def has_moved(self, did: str, store: Store) -> bool:
        """Whether an account of the network lives in another house than the one of `store`."""
        account = self.accounts.find(did)
        return account is not None and all(
            account.home != house.name for house in self.houses if house.realm.store is store)

    def control(self, request: Request) -> Response:
        return control(self, request)

    def reset(self) -> None:
        for house in self.houses:
            house.realm.reset()
        self.dns.reset()

    def ready(self) -> dict:
        bases = self.bases()
        return {"issuer": bases["as"], "issuer2": bases["as2"], "pds": bases["pds"], "pds2": bases["pds2"],
                "plc": bases["plc"], "web": bases["web"], "elsewhere": bases["elsewhere"], "dns": self.dns.address,
                "client_id": self.identities.client_id, "control": f"{bases['as']}/control",
                "accounts": {account.key: account.did for account in self.accounts.all()}}
