"""The PLC directory, the did:web document and the hosted client metadata: what is public."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from strict.testing.breakage import broken
from strict.wire import Origin, Request, Response, json_response

from .accounts import Account
from .settings import overridden

if TYPE_CHECKING:
    from .network import Network

CLIENT_PATH = "/client-metadata.json"
WEB_PATH = "/.well-known/did.json"
REASONS = {404: "DID not registered", 410: "DID not available"}  # as the directory words them


class Identities:
    def __init__(self, network: Network):
        self._network = network
        self.origins = {name: Origin(name, self.answer, lambda: network.settings.keep_alive, network.presence)
                        for name in ("plc", "web", "client")}
        web = self.origins["web"]
        web.base = web.base.replace("127.0.0.1", "localhost")  # did:web over http is for that name alone

    @property
    def client_id(self) -> str:
        return self.origins["client"].base + CLIENT_PATH

    def answer(self, request: Request) -> Response:
        realm = self._network.houses[0].realm
        endpoint = {"plc": "plc", "web": "did", "client": "client"}[request.origin]
        record = realm.trace.begin(realm.store, request, endpoint)
        fault = realm.faults.take(endpoint, None)
        record["fault"] = fault and fault.kind
        process: Callable[[], Response] = lambda: self._process(endpoint, request)
        response = broken(realm, fault, request, record, process) if fault else process()
        if response.date is None:
            response.date = realm.now()
        record["status"] = None if response.breakage in ("reset", "close") else response.status
        record["answered_at"] = time.time()
        return response

    def _process(self, endpoint: str, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return Response(405, [("Allow", "GET, HEAD")])
        found = self._client_document(request) if endpoint == "client" else self.document(request)
        if found is None:
            return json_response(404, {"message": f"{REASONS[404]}: {unquote(request.path[1:])}"})
        return found

    def document(self, request: Request) -> Response | None:
        """The DID document that stands at this path, of whichever of the two origins; or the account's set status."""
        name = unquote(request.target.removeprefix("/"))
        for account in self._network.accounts.all():
            is_web = account.did.startswith("did:web:")
            if request.path == WEB_PATH if is_web else name == account.did:
                return self._document_of(account, "application/json" if is_web else "application/did+ld+json")
        return None

    def _document_of(self, account: Account, media_type: str) -> Response:
        status = account.change.get("status", 200)
        if status != 200:
            return json_response(status, {"message": f"{REASONS.get(status, 'No')}: {account.did}"})
        body = json.dumps(self._network.accounts.document(account)).encode()
        return Response(200, [("Content-Type", f"{media_type}; charset=utf-8")], body)

    def _client_document(self, request: Request) -> Response | None:
        if request.path != CLIENT_PATH:
            return None
        value = {
            "client_id": self.client_id, "client_name": "A client of the tests", "application_type": "native",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "redirect_uris": ["http://127.0.0.1/callback", "http://[::1]/callback"],
            "scope": "atproto transition:generic", "token_endpoint_auth_method": "none",
            "dpop_bound_access_tokens": True,
        }
        return json_response(200, overridden(value, self._network.settings.hosted_override))
