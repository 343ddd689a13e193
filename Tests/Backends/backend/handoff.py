"""A backend that signs in for an app, and hands over the tokens together with their DPoP key."""

from __future__ import annotations

import json
import secrets
import threading
import urllib.request
from dataclasses import asdict
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import ec

from strict import jose
from strict.wire import Origin, Presence, Request, Response, json_response

from .requests import Violation, json_members
from .settings import HandoffSettings

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class HandoffBackend:
    """`network` is the control address of the network whose accounts it signs in."""

    def __init__(self, network: str):
        self._network = network
        self.settings = HandoffSettings()
        self._lock = threading.Lock()
        self._asked: dict[str, str | None] = {}  # what the user is sent with → the handle
        self._codes: dict[str, str | None] = {}  # code → the handle; one use each
        self._given: dict[str, list[str]] = {"code": [], "key": []}  # every secret, by kind
        self._log: list[dict] = []
        self.origin = Origin("backend", self.answer, lambda: True, Presence())
        self.base = self.origin.base
        self.client_id = f"{self.base}/client-metadata.json"

    def answer(self, request: Request) -> Response:
        if request.path.startswith("/control/"):
            return self._control(request)
        record = {"method": request.method, "path": request.path, "violation": None}
        try:
            response = self._route(request, record)
        except Violation as violation:
            record["violation"] = str(violation)
            response = json_response(400, {"error": str(violation)})
        record["status"] = response.status
        with self._lock:
            self._log.append(record)
        return response

    def _route(self, request: Request, record: dict) -> Response:
        match request.path:
            case "/api/auth/start":
                return self._faulty("start") or self._start(request, record)
            case "/authorize":
                return self._authorize(request)
            case "/api/auth/tokens":
                return self._faulty("tokens") or self._tokens(request)
            case "/client-metadata.json":
                return json_response(200, self._client_metadata())
        raise Violation("no such path")

    def _faulty(self, call: str) -> Response | None:
        fault = self.settings.faults.get(call)
        if fault is None:
            return None
        headers = [("Content-Type", fault.get("type", "application/json")), *fault.get("headers", {}).items()]
        return Response(fault.get("status", 200), headers, fault.get("body", "").encode(),
                        breakage=fault.get("breakage"))

    def _start(self, request: Request, record: dict) -> Response:
        members = json_members(request)
        if set(members) - {"handle"} or not isinstance(members.get("handle", ""), str):
            raise Violation("start takes a handle or nothing")
        handle = record["handle"] = members.get("handle")
        ticket = secrets.token_urlsafe(16)
        with self._lock:
            self._asked[ticket] = handle
        answer = {"authUrl": f"{self.base}/authorize?{urlencode({'ticket': ticket})}", "sessionId": secrets.token_hex(8)}
        if handle is not None:
            answer["handle"] = handle
        return json_response(200, {**answer, **self.settings.start})

    def _authorize(self, request: Request) -> Response:
        """The page where the user consents, and from which the browser comes back to the app."""
        ticket = dict(request.query).get("ticket", "")
        if ticket not in self._asked:
            raise Violation("authorize without a start")
        if request.value("X-Strict-Decision") == "deny":
            back = {"error": "access_denied", "error_description": "not today"}
        else:
            code = secrets.token_urlsafe(24)
            with self._lock:
                self._codes[code] = self._asked[ticket]
                self._given["code"].append(code)
            back = {"code": code}
        return Response(302, [("Location", f"{self.settings.callback}?{urlencode(back)}")])

    def _tokens(self, request: Request) -> Response:
        members = json_members(request)
        if set(members) != {"code"}:
            raise Violation("tokens takes a code and nothing else")
        with self._lock:
            known = members["code"] in self._codes
            handle = self._codes.pop(members["code"], None)
        if not known:
            return json_response(400, {"error": "invalid or used code"})
        session = self._session(self.settings.signs_in or handle or self.settings.account)
        key = session.pop("dpopKey", None)
        answer = {"accessToken": session["access_token"], "refreshToken": session["refresh_token"],
                  "handle": session["handle"], "did": session["did"], "pds": session["pds"]}
        if "expires_in" in session:
            answer["expiresIn"] = session["expires_in"]
        answer |= {**self._key(key), **self.settings.tokens}
        self._remember(answer.get("dpopKey"))
        return json_response(200, {name: value for name, value in answer.items() if name not in self.settings.without})

    def _key(self, jwk: dict | None) -> dict:
        match self.settings.key:
            case "wrapped":
                return {"dpopKey": {"jwk": jwk}}
            case "typed":
                return {"dpopKey": {"jwk": jwk, "__type": "stored_dpop_key"}}
            case "missing":
                return {}
            case "null":
                return {"dpopKey": None}
            case "another":
                return {"dpopKey": jose.private_jwk(ec.generate_private_key(ec.SECP256R1()))}
        return {"dpopKey": jwk}

    def _remember(self, key: dict | None) -> None:
        jwk = (key or {}).get("jwk", key or {})
        with self._lock:
            self._given["key"] += [jwk["d"]] if "d" in jwk else []

    def _session(self, account: str) -> dict:
        """Tokens of the network itself: bound, and renewed there by this backend's client."""
        asked = {"account": account, "dpop": True, "client_id": self.client_id, **self.settings.issue}
        with _opener.open(f"{self._network}/issue", json.dumps(asked).encode(), timeout=10) as answer:
            return json.load(answer)

    def _client_metadata(self) -> dict:
        return {"client_id": self.client_id, "client_name": "A backend of an app", "application_type": "web",
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                "redirect_uris": ["https://127.0.0.1/callback"], "scope": "atproto transition:generic",
                "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": True}

    def _control(self, request: Request) -> Response:
        """`settings` changes them; `log` is every request, without secrets; `secrets` is every code and key."""
        name = request.path.removeprefix("/control/")
        if name == "settings":
            try:
                self.settings.merge(json.loads(request.body))
            except ValueError as error:
                return json_response(400, {"error": str(error)})
            return json_response(200, asdict(self.settings))
        if name == "secrets":
            with self._lock:
                return json_response(200, self._given)
        if name == "log":
            with self._lock:
                return json_response(200, {"requests": self._log,
                                           "violations": [each for each in self._log if each["violation"]]})
        return json_response(404, {"error": f"no such command: {name}"})
