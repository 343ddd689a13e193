"""The strict resource server on an event loop: it answers as fast as a proxy can ask, and keeps no log."""

from __future__ import annotations

import asyncio
from email.utils import formatdate

from strict import resource
from strict.errors import OAuthError, resource_server_answer
from strict.realm import Realm
from strict.store import digest
from strict.wire import Request, Response

from .ledger import Ledger, Rank

_HEAD_END = b"\r\n\r\n"


class Ranks:
    """Which of two credentials is the newer one."""

    def __init__(self, realm: Realm):
        self._store = realm.store
        self._known: dict[str, Rank] = {}

    def rank(self, token: str) -> Rank:
        """The rank of a token that the server has given out."""
        if token not in self._known:
            with self._store.lock:
                name = digest(token)
                session = self._store.access[name].session
                self._known[token] = self._store.sessions.index(session), list(self._store.access).index(name)
        return self._known[token]


class Upstream(asyncio.Protocol):
    """One connection of the proxy's."""

    def __init__(self, realm: Realm, ledger: Ledger, ranks: Ranks):
        self._realm, self._ledger, self._ranks = realm, ledger, ranks
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(_HEAD_END)) >= 0:
            lines = self._received[:end].decode("latin-1").split("\r\n")
            self._received = self._received[end + len(_HEAD_END):]
            method, target, _ = lines[0].split(" ")
            headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
            self._write(self._answer(Request("rs", self._realm.bases["rs"], method, target, headers)))

    def _answer(self, request: Request) -> Response:
        try:
            response = resource.resource_endpoint(self._realm, request)
        except OAuthError as error:
            if error.violation:
                self._ledger.wrong[f"{error.error}: {error.description}"] += 1
            response = resource_server_answer(error, resource.challenge_scheme(self._realm))
        else:
            number = request.path.rpartition("/")[2]
            token = (request.value("Authorization") or "").partition(" ")[2]
            self._ledger.receive(int(number), self._ranks.rank(token))
            response.body = f"{number}\n".encode()
        response.headers.append(("DPoP-Nonce", self._realm.nonces["rs"].current()))
        return response

    def _write(self, response: Response) -> None:
        fields = [*response.headers, ("Content-Length", str(len(response.body))),
                  ("Date", formatdate(self._realm.now(), usegmt=True))]
        head = f"HTTP/1.1 {response.status} -\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields)
        self._transport.write(head.encode("latin-1") + b"\r\n" + response.body)
