"""From a request to its answer: route, trace, fault, endpoint, nonce and date."""

from __future__ import annotations

import time

from . import authorize, device, metadata, resource, revoke, token_endpoint
from .errors import OAuthError, authorization_server_answer, resource_server_answer
from .realm import Realm
from .testing.breakage import broken
from .testing.control import control
from .wire import Origin, Request, Response, json_response


class Service:
    """Three origins: the authorization server (with the control API), the resource server, and "elsewhere"."""

    def __init__(self, realm: Realm):
        self.realm = realm
        self._endpoints = {
            "metadata": metadata.metadata_endpoint,
            "par": authorize.par_endpoint,
            "authorize": authorize.authorization_endpoint,
            "token": token_endpoint.token_endpoint,
            "device_authorization": device.device_authorization_endpoint,
            "revoke": revoke.revocation_endpoint,
            "resource": resource.resource_endpoint,
            "resource_metadata": resource.metadata_endpoint,
            "device": lambda realm, request: Response(200, body=b"Enter the code. The test does it for you."),
            "elsewhere": _elsewhere,
            "unknown": lambda realm, request: Response(404),
        }
        self.origins = [Origin(name, self.answer, lambda: realm.settings.keep_alive, realm.presence)
                        for name in ("as", "rs", "elsewhere")]
        realm.bases = {origin.name: origin.base for origin in self.origins}

    def answer(self, request: Request) -> Response:
        if request.origin == "as" and request.path.startswith("/control/"):
            return control(self.realm, request)
        realm = self.realm
        endpoint = self._route(request)
        record = realm.trace.begin(realm.store, request, endpoint)
        fault = realm.faults.take(endpoint, record["grant_type"])
        record["fault"] = fault and fault.kind

        def process() -> Response:
            answer = self._process(endpoint, request, record)
            self._stamp_nonce(endpoint, request, answer)
            return answer

        response = broken(realm, fault, request, record, process) if fault else process()
        if fault and fault.kind in ("nonce_challenge", "error"):
            self._stamp_nonce(endpoint, request, response)
        if response.date is None:
            response.date = realm.now()
        record["status"] = None if response.breakage in ("reset", "close") else response.status
        record["answered_at"] = time.time()
        return response

    def _route(self, request: Request) -> str:
        if request.origin == "elsewhere":
            return "elsewhere"
        if request.origin == "rs":
            if request.path == resource.metadata_path(self.realm):
                return "resource_metadata"
            return "resource" if request.path.split("/")[1] == "resource" else "unknown"
        if request.path in metadata.paths(self.realm):
            return "metadata"
        name = request.path.removeprefix("/")
        return name if name in ("par", "authorize", "token", "device_authorization", "revoke", "device") else "unknown"

    def _process(self, endpoint: str, request: Request, record: dict) -> Response:
        try:
            return self._endpoints[endpoint](self.realm, request)
        except OAuthError as error:
            record.update(error=error.error, description=error.description, violation=error.violation)
            if request.origin == "rs":
                return resource_server_answer(error, resource.challenge_scheme(self.realm),
                                              resource.metadata_address(self.realm))
            return authorization_server_answer(error)

    def _stamp_nonce(self, endpoint: str, request: Request, response: Response) -> None:
        """The nonce to use next, on every answer of an origin that wants them, 200s included (RFC 9449 §8.2)."""
        realm = self.realm
        if realm.settings.dpop == "off" or not realm.nonce_required(request.origin):
            return
        if endpoint != "metadata" or realm.settings.nonce_on_metadata:
            response.headers.append(("DPoP-Nonce", realm.nonces[request.origin].current()))


def _elsewhere(realm: Realm, request: Request) -> Response:
    """An answer that looks like success, so that a client that follows a redirect here is not saved by luck."""
    return json_response(200, {"access_token": "from-elsewhere", "token_type": "DPoP", "expires_in": 3600,
                               "refresh_token": "from-elsewhere", "sub": "elsewhere"})
