"""One authorization server and the data server that trusts it, on the strict server's modules."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from strict.nonces import NonceBook
from strict.realm import Realm
from strict.service import Service
from strict.store import Session, Store
from strict.wire import Request, Response

from . import authorization, client_documents, client_ids, data_server, metadata, sessions
from .client_ids import Client

if TYPE_CHECKING:
    from .network import Network

PATHS = {"/oauth/par": "par", "/oauth/authorize": "authorize", "/oauth/token": "token", "/oauth/revoke": "revoke",
         "/.well-known/oauth-authorization-server": "metadata"}


class HouseStore(Store):
    """The strict store, with when each session began and who signs in by which request and code."""

    def __init__(self, now: Callable[[], float]):
        self._now = now
        super().__init__()

    def reset(self) -> None:
        super().reset()
        with self.lock:
            self.began: dict[str, float] = {}  # session id → seconds since 1970
            self.hints: dict[str, str | None] = {}  # request_uri → login_hint
            self.subjects: dict[str, str] = {}  # code → DID
            self.known_clients: dict[str, Client] = {}

    def open_session(self, session: Session) -> Session:
        self.began[session.id] = self._now()
        return super().open_session(session)


class House(Service):
    """`name` is its data server's, `pds` or `pds2`; the authorization server is its only one."""

    def __init__(self, network: Network, name: str):
        self.network, self.name = network, name
        realm = Realm(network.settings)
        realm.store = HouseStore(realm.now)
        realm.trace, realm.faults, realm.presence = network.trace, network.faults, network.presence
        suffix = name.removeprefix("pds")
        # The name in a nonce tells whose it is, and there are two houses.
        realm.nonces = {origin: NonceBook(origin + suffix, network.settings) for origin in ("as", "rs")}
        super().__init__(realm)
        worthless = self._endpoints["elsewhere"]
        self._endpoints.update({
            "metadata": lambda realm, request: metadata.authorization_server(self, request),
            "resource_metadata": lambda realm, request: metadata.protected_resource(self, request),
            "par": lambda realm, request: authorization.pushed_request(self, request),
            "authorize": lambda realm, request: authorization.authorize(self, request),
            "token": lambda realm, request: sessions.token(self, request),
            "revoke": lambda realm, request: sessions.revoke(self, request),
            "resource": lambda realm, request: data_server.xrpc(self, request),
            "elsewhere": lambda realm, request: metadata.true_copy(self, request) or worthless(realm, request),
        })

    @property
    def issuer(self) -> str:
        return self.realm.bases["as"]

    @property
    def data_server(self) -> str:
        return self.realm.bases["rs"]

    def client(self, client_id: str, anew: bool = False) -> Client:
        """The client of a client id, fetched if it is hosted. Raises OAuthError: `invalid_client_metadata`."""
        if client_ids.is_loopback_form(client_id):
            return client_ids.parse_loopback(client_id)
        known = self.realm.store.known_clients.get(client_id)
        if known is None or anew:
            document = self.network.settings.client_documents.get(client_id) or client_documents.fetch(client_id)
            known = self.realm.store.known_clients[client_id] = client_documents.check(client_id, document)
        return known

    def realm_for(self, client: Client, **changes: object) -> Realm:
        """The realm as the strict endpoints should see it for this one request: one client, its scopes, one user."""
        realm = copy.copy(self.realm)
        realm.settings = replace(realm.settings, clients={client.id: {"redirect_uris": client.redirect_uris}},
                                 scopes=list(client.scopes), **changes)
        return realm

    def answer(self, request: Request) -> Response:
        if request.origin == "as" and request.path.startswith("/control/"):
            return self.network.control(request)
        return super().answer(request)

    def _route(self, request: Request) -> str:
        if request.origin == "as":
            return PATHS.get(request.path, "unknown")
        if request.origin == "rs" and request.path == "/.well-known/oauth-protected-resource":
            return "resource_metadata"
        if request.origin == "rs":
            return "resource" if request.path.startswith("/xrpc/") else "unknown"
        return "elsewhere"

    def _process(self, endpoint: str, request: Request, record: dict) -> Response:
        response = super()._process(endpoint, request, record)
        nonce = (record["proof"] or {}).get("nonce")
        book = self.realm.nonces.get(request.origin)
        if isinstance(nonce, str) and book is not None and not nonce.startswith(f"{book.origin}-"):
            record.update(violation=True, description="the nonce is another origin's")
        if endpoint == "revoke" and not record["dpop"]:
            record.update(violation=True, description="a revocation without a proof does nothing")
        return response

    def _stamp_nonce(self, endpoint: str, request: Request, response: Response) -> None:
        if endpoint != "resource_metadata":
            super()._stamp_nonce(endpoint, request, response)
