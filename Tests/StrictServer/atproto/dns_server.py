"""The DNS server of the network: `_atproto` TXT records on one loopback port, over UDP and TCP."""

from __future__ import annotations

import socketserver
import struct
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from strict.wire import Request

from .accounts import PLC
from .dns_answers import datagrams
from .dns_message import FORMERR, TXT, BadQuery, Query, message, parse_query, refusal

if TYPE_CHECKING:
    from .network import Network

PREFIX = "_atproto."


class DNSServer:
    def __init__(self, network: Network):
        self._network = network
        self._dropped: Counter[str] = Counter()
        self._tcp, self._udp = _sockets()
        self._tcp.answer = self._udp.answer = self._answer
        self.address = "127.0.0.1:%d" % self._udp.server_address[1]

    def start(self) -> None:
        for server in (self._tcp, self._udp):
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def reset(self) -> None:
        self._dropped.clear()

    def _answer(self, data: bytes, transport: str) -> list[bytes]:
        """The messages to send for `data`; every query is in the log, as a request of method UDP or TCP."""
        try:
            query = parse_query(data)
        except BadQuery as error:
            record = self._record(transport, "/")
            record.update(description=str(error), violation=True, answered_at=time.time())
            return [refusal(data)]
        record = self._record(transport, f"/{query.name}")
        name = query.name.lower()
        if query.type != TXT or not name.startswith(PREFIX):
            record.update(description="not a TXT query for _atproto", violation=True, answered_at=time.time())
            return [message(query, [], FORMERR)]
        answer = self._chosen(name.removeprefix(PREFIX), transport)
        record.update(description=answer if isinstance(answer, str) else "records", answered_at=time.time())
        return self._cut(query, answer, self._messages(query, name.removeprefix(PREFIX), answer), transport)

    def _record(self, transport: str, target: str) -> dict:
        trace, store = self._network.trace, self._network.houses[0].realm.store
        return trace.begin(store, Request("dns", f"dns://{self.address}", transport, target, []), "dns")

    def _chosen(self, handle: str, transport: str) -> str | list:
        answer = self._network.settings.dns.get(handle)
        if isinstance(answer, dict):
            if transport == "UDP" and self._dropped[handle] < answer["drop"]:
                self._dropped[handle] += 1
                return "silence"
            answer = answer["answer"]
        if answer is None:
            answer = "right" if self._network.accounts.find(handle) else "none"
        return answer

    def _messages(self, query: Query, handle: str, answer: str | list) -> list[bytes]:
        account, mallory = self._network.accounts.find(handle), PLC["mallory.test"]
        return datagrams(query, answer, account.did if account else mallory, mallory)

    @staticmethod
    def _cut(query: Query, answer: str | list, messages: list[bytes], transport: str) -> list[bytes]:
        """UDP gets what does not fit as an empty answer with TC set (RFC 2181 §9); TCP gets it whole."""
        if transport == "TCP":
            return messages[-1:]
        return [message(query, [], truncated=True) if answer == "truncated" or len(each) > query.limit else each
                for each in messages]


class _UDPHandler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        data, sender = self.request
        for each in self.server.answer(data, "UDP"):
            sender.sendto(each, self.client_address)


class _TCPHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """Messages with their length in front (RFC 7766 §8), until the client has enough."""
        while len(head := self.rfile.read(2)) == 2:
            for each in self.server.answer(self.rfile.read(struct.unpack("!H", head)[0]), "TCP"):
                self.wfile.write(struct.pack("!H", len(each)) + each)


class _TCPServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


def _sockets() -> tuple[_TCPServer, socketserver.UDPServer]:
    """Both on one free port; that the other kind has it too needs luck, which is tried again."""
    for _ in range(100):
        udp = socketserver.UDPServer(("127.0.0.1", 0), _UDPHandler)
        try:
            return _TCPServer(udp.server_address, _TCPHandler), udp
        except OSError:
            udp.server_close()
    raise OSError("no port is free for UDP and TCP alike")
