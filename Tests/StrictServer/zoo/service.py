"""The strict server under the addresses and in the words of another one."""

from __future__ import annotations

import json
import threading
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from strict.errors import OAuthError, authorization_server_answer, resource_server_answer
from strict.realm import Realm
from strict.resource import challenge_scheme
from strict.service import Service
from strict.store import digest
from strict.wire import Request, Response, json_response

from . import identity, registration
from .species import Document, Rule, Species
from .templates import filled

DEFAULT_PLACES = {name: f"${{base}}/{name}" for name in (
    "par", "authorize", "token", "device_authorization", "device", "revoke", "introspect", "userinfo", "register")}


class ZooService(Service):
    def __init__(self, realm: Realm, species: Species):
        super().__init__(realm)
        self.species = species
        self._endpoints |= {"userinfo": identity.userinfo_endpoint, "introspect": identity.introspection_endpoint,
                            "register": registration.registration_endpoint,
                            "document": lambda realm, request: self._document(self._documents[_place(request)])}
        self.names = {"base": realm.bases["as"], "issuer": realm.issuer, "resource": realm.bases["rs"]}
        self._places = {self._address(place): name for name, place in {**DEFAULT_PLACES, **species.at}.items()}
        self._documents = {self._address(place): each for place, each in species.documents.items()}
        self._nonces: dict[str, str] = {}  # of a pushed request, and of a code
        # One request at a time, so that what a rule refuses has spent nothing when the next one comes.
        self._turn = threading.Lock()

    def _address(self, place: str) -> str:
        return filled(place if place.startswith("$") else "${base}" + place, self.names)

    def _route(self, request: Request) -> str:
        place = _place(request)
        if place in self._documents:
            return "document"
        if place in self._places:
            return self._places[place]
        return {"rs": "resource", "elsewhere": "elsewhere"}.get(request.origin, "unknown")

    def _document(self, document: Document) -> Response:
        body = document.text if document.text is not None else json.dumps(filled(document.json, self.names))
        headers = [("Content-Type", document.type)] if document.type else []
        headers += [(name, str(filled(value, self.names))) for name, value in document.headers.items()]
        return Response(document.status, headers, body.encode())

    def _process(self, endpoint: str, request: Request, record: dict) -> Response:
        with self._turn:
            accept, settings = request.value("Accept") or "", self.realm.settings
            refusing = self.species.rule(endpoint, accept, record["grant_type"], "grant", True)
            rotates, settings.rotate_refresh = settings.rotate_refresh, settings.rotate_refresh and refusing is None
            try:
                answer = self._judged(endpoint, request, record)
            finally:
                settings.rotate_refresh = rotates
            rule = refusing
            if record["error"] is not None:
                rule = self.species.rule(endpoint, accept, record["grant_type"], "refusal", False)
            elif refusing is None:
                rule = self.species.rule(endpoint, accept, record["grant_type"], "grant", False)
            if endpoint == "document":
                return answer
            return self._spelled(rule, answer, self._values(endpoint, request, record, answer))

    def _judged(self, endpoint: str, request: Request, record: dict) -> Response:
        try:
            return self._endpoints[endpoint](self.realm, request)
        except OAuthError as error:
            record.update(error=error.error or "unauthorized", description=error.description, violation=error.violation)
            if request.origin == "rs" or endpoint == "userinfo":
                return resource_server_answer(error, challenge_scheme(self.realm))
            return authorization_server_answer(error)

    def _values(self, endpoint: str, request: Request, record: dict, answer: Response) -> dict:
        """What a template may name: members of the right answer, in this server's tokens, and the server's names."""
        body = answer.body if answer.body.startswith(b"{") else b"{}"
        right = json.loads(body)
        form = dict(parse_qsl(request.body.decode("latin-1")))
        if endpoint == "token" and record["error"] is None:
            right = self._with_own_tokens(right, self._nonces.get(form.get("code", "")))
        if endpoint == "par" and "nonce" in form and "request_uri" in right:
            self._nonces[right["request_uri"]] = form["nonce"]
        if endpoint == "authorize":
            asked, given = dict(request.query), _query(dict(answer.headers).get("Location", ""))
            pushed = self._nonces.get(asked.get("request_uri", ""), "")
            self._nonces[given.get("code", "")] = asked.get("nonce") or pushed
        return {"right": right, **right, **self.names, "client_id": right.get("client_id", form.get("client_id"))}

    def _with_own_tokens(self, right: dict, nonce: str | None) -> dict:
        store, tokens = self.realm.store, self.species.tokens
        with store.lock:
            session = store.access[digest(right["access_token"])].session
            for kind, table, look in (("access_token", store.access, tokens.access_token),
                                      ("refresh_token", store.refresh, tokens.refresh_token)):
                if kind in right and look != "${token}":
                    own = store.remember_secret(kind, filled(look, {"token": right[kind]}))
                    table[digest(own)] = table[digest(right[kind])]
                    right[kind] = own
        right["sub"] = session.sub
        if tokens.id_token is not None and session.sub != session.client_id:
            right["id_token"] = identity.id_token(self.realm, session, nonce, filled(tokens.id_token, self.names))
        return right

    def _spelled(self, rule: Rule | None, answer: Response, values: dict) -> Response:
        right = values.pop("right")
        if "access_token" in right:
            right = {name: value for name, value in right.items() if name != "sub"}
        if rule is None:
            return json_response(answer.status, right, _kept(answer)) if right else _callback(answer, None, values)
        if "Location" in dict(answer.headers):
            return _callback(answer, rule.callback, values)
        status = rule.status if rule.status is not None else 400 if rule.refuses else answer.status
        headers = _kept(answer) + [(name, str(filled(value, values))) for name, value in rule.headers.items()]
        if rule.text is not None:
            body, kind = filled(rule.text, values), "application/json"
        elif rule.form is not None:
            body, kind = urlencode(filled(rule.form, values)), "application/x-www-form-urlencoded"
        else:
            value = filled(rule.json, values) if rule.json is not None else {**right, **filled(rule.set, values)}
            if isinstance(value, dict):
                value = {name: each for name, each in value.items() if name not in rule.without}
            body, kind = json.dumps(value), "application/json"
        kind = kind if rule.type is None else rule.type
        return Response(status, [*headers, *([("Content-Type", kind)] if kind else [])], body.encode())


def _place(request: Request) -> str:
    return request.base + request.path


def _kept(answer: Response) -> list[tuple[str, str]]:
    return [(name, value) for name, value in answer.headers if name.lower() != "content-type"]


def _query(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


def _callback(answer: Response, changes: dict | None, values: dict) -> Response:
    """A callback as most servers make it, without `iss`; `changes` are the rule's, and null removes."""
    location = dict(answer.headers).get("Location")
    if location is None:
        return answer
    parameters = {**_query(location), "iss": None, **filled(changes or {}, values)}
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return Response(answer.status, [("Location", urlunsplit(urlsplit(location)._replace(query=query))),
                                    ("Cache-Control", "no-store")])
