"""The record of every request on the whole network, and of secrets and proofs at the wrong house."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from strict.store import Store, digest
from strict.testing.trace import Trace, misplaced
from strict.wire import Request

if TYPE_CHECKING:
    from .network import Network

PUBLIC = {"plc", "did", "client", "metadata", "resource_metadata"}  # endpoints without a client's identity
NOWHERE = "nowhere"  # an origin where no secret is at home
SHOWN = ("login_hint", "scope", "redirect_uri")


class NetworkTrace(Trace):
    def __init__(self, network: Network):
        super().__init__()
        self._network = network

    def begin(self, store: Store, request: Request, endpoint: str) -> dict:
        """As the strict server's, with the network's name of the origin, and what was asked for at PAR."""
        record = super().begin(store, request, endpoint)
        found = set(record["misplaced"])
        for house in self._network.houses:
            if house.realm.store is not store:
                found |= set(misplaced(house.realm.store, replace(request, origin=NOWHERE), endpoint))
        if endpoint in PUBLIC and (request.values("DPoP") or request.values("Authorization")):
            found.add("credentials")
        form = dict(parse_qsl(request.body.decode("latin-1")))
        if endpoint == "token" and self._has_moved(store, form.get("refresh_token")):
            found.add("refresh_token")
        record.update(origin=self._network.name_of(request.base), misplaced=sorted(found),
                      **{name: form.get(name) for name in SHOWN})
        return record

    def _has_moved(self, store: Store, refresh_token: str | None) -> bool:
        """Whether a refresh token comes to a server that is no longer the account's: it is lost by that."""
        token = store.refresh.get(digest(refresh_token)) if refresh_token else None
        return token is not None and self._network.has_moved(token.session.sub, store)
