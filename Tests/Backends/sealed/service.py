"""The backend's origin and a second one that nothing should ever reach; and the control API."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from urllib.parse import unquote_to_bytes

from strict.store import Store as NoSecrets
from strict.testing import faults
from strict.testing.breakage import broken
from strict.testing.faults import Fault, FaultTable
from strict.testing.trace import Trace
from strict.wire import Origin, Presence, Request, Response, json_response

from . import endpoints
from .settings import Settings
from .store import Store

ENDPOINTS = {
    ("GET", "/mobile-auth"): endpoints.mobile_auth,
    ("POST", "/api/auth/mobile-start"): endpoints.mobile_start,
    ("GET", "/authorize"): endpoints.authorize,
    ("GET", "/api/auth/session"): endpoints.session,
    ("GET", "/mobile/refresh-token"): endpoints.refresh_token,
    ("POST", "/api/auth/logout"): endpoints.logout,
}
# The last segment of a path is its endpoint's name, in faults and in the log.
faults.ENDPOINTS.update(path.rpartition("/")[2] for _, path in ENDPOINTS)


class Service:
    def __init__(self) -> None:
        self.settings = Settings()
        self.store = Store()
        self.faults = FaultTable()
        self.presence = Presence()
        self._trace = Trace()
        self._nothing = NoSecrets()
        self.origins = [Origin(name, self.answer, lambda: True, self.presence) for name in ("backend", "elsewhere")]
        self.bases = {origin.name: origin.base for origin in self.origins}

    def answer(self, request: Request) -> Response:
        if request.origin == "backend" and request.path.startswith("/control/"):
            return self._control(request)
        name = request.path.rpartition("/")[2]
        record = self._trace.begin(self._nothing, request, name if request.origin == "backend" else "elsewhere")
        record["violation"] = self._stray(request)
        endpoint = ENDPOINTS.get((request.method, request.path))
        if request.origin != "backend" or endpoint is None:
            return json_response(404, {"error": "no such place"})
        fault = self.faults.take(name, None)
        record["fault"] = fault and fault.kind

        def process() -> Response:
            try:
                return endpoint(self, request)
            except (endpoints.Violation, ValueError) as violation:
                record["violation"] = str(violation)
                return json_response(400, {"error": str(violation)})

        response = broken(self, fault, request, record, process) if fault else process()
        record["status"] = None if response.breakage in ("reset", "close") else response.status
        return response

    def _stray(self, request: Request) -> str | bool:
        """A seal anywhere but in the backend's own credential fields is a leak."""
        head = [request.target] + [value for name, value in request.headers
                                   if request.origin != "backend" or name.lower() not in ("cookie", "authorization")]
        raw = "\n".join(head).encode("latin-1") + b"\n" + request.body
        seen = raw + unquote_to_bytes(raw)
        with self.store.lock:
            return "a session where it has no business" if any(
                seal.encode() in seen for seal in self.store.every_seal()) else False

    def _control(self, request: Request) -> Response:
        value = json.loads(request.body) if request.body else None
        try:
            match request.path.removeprefix("/control/"):
                case "settings":
                    self.settings.merge(value or {})
                    return json_response(200, asdict(self.settings))
                case "faults":
                    if request.method == "DELETE":
                        self.faults.clear()
                    for each in value if isinstance(value, list) else [value] if value else []:
                        self.faults.add(Fault.parse(each))
                    return json_response(200, self.faults.listed())
                case "release":
                    return json_response(200, {"released": self.faults.release()})
                case "wait":
                    return json_response(200, {"reached": self._wait(value)})
                case "approve":
                    return json_response(200, {"callback": self._approve(value["address"])})
                case "end":
                    with self.store.lock:
                        for session in self.store.sessions:
                            session.ended = value["reason"]
                    return json_response(200, {})
                case "secrets":
                    with self.store.lock:
                        return json_response(200, {"sealed_session": self.store.every_seal()})
                case "log":
                    records = self._trace.records()
                    return json_response(200, {
                        "requests": records, "counts": dict(self.store.counts),
                        "violations": [record for record in records if record["violation"]]})
        except (ValueError, TypeError, KeyError) as error:
            return json_response(400, {"error": f"{type(error).__name__}: {error}"})
        return json_response(404, {"error": "no such command"})

    def _approve(self, address: str) -> str:
        """What the user's browser does from an address on: the callback address at which it ends."""
        target = address.removeprefix(self.bases["backend"])
        if target == "/mobile-auth":
            # The page asks for the handle, and starts with it.
            asked = {"handle": self.settings.handle, "code_challenge": secrets.token_urlsafe(32)}
            body = json.dumps(asked).encode()
            page = Request("backend", self.bases["backend"], "POST", "/api/auth/mobile-start",
                           [("Content-Type", "application/json")], body)
            target = json.loads(endpoints.mobile_start(self, page).body)["authUrl"].removeprefix(self.bases["backend"])
        answer = endpoints.authorize(self, Request("backend", self.bases["backend"], "GET", target, []))
        return dict(answer.headers)["Location"]

    def _wait(self, value: dict) -> bool:
        """Blocks until so many requests are held, or so many have reached an endpoint (timeout in seconds)."""
        timeout = float(value.get("timeout", 10))
        if "held" in value:
            return self.faults.wait_for_held(int(value["held"]), timeout)
        return self._trace.wait(value["endpoint"], int(value.get("count", 1)), timeout)
