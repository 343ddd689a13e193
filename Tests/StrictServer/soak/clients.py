"""Clients of the proxy: each makes one request after the other on its own connection."""

from __future__ import annotations

import asyncio
import re

from .ledger import Ledger

_HEAD_END = b"\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)\r\n", re.IGNORECASE)


class Client(asyncio.Protocol):
    """Makes requests of the proxy's socket until all of the ledger's are made."""

    def __init__(self, ledger: Ledger, path: str, host: str):
        self._ledger, self._path, self._host = ledger, path, host
        self._number: int | None = None
        self._received = b""

    async def connect(self) -> None:
        await asyncio.get_running_loop().create_unix_connection(lambda: self, self._path)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(_HEAD_END)
        if end < 0:
            return
        status, length = _STATUS.match(self._received), _LENGTH.search(self._received, 0, end + 2)
        if status is None or length is None or self._number is None:
            self._transport.abort()
            return
        begin = end + len(_HEAD_END)
        if len(self._received) < begin + int(length[1]):
            return
        self._ledger.answer(self._number, int(status[1]), self._received[begin:] == b"%d\n" % self._number)
        self._number = None
        self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if self._number is None:
            return
        self._ledger.lose(self._number)
        again = Client(self._ledger, self._path, self._host)
        self._again = asyncio.get_running_loop().create_task(again.connect())

    def _next(self) -> None:
        self._received = b""
        self._number = self._ledger.begin()
        if self._number is None:
            self._transport.close()
        else:
            self._transport.write(f"GET /resource/{self._number} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
