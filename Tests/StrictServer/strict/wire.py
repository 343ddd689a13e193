"""HTTP/1.1 on a loopback socket: requests in, responses out, and the ways to break a connection."""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import parse_qsl

MAX_BODY = 1 << 20
MAX_LINE = 1 << 16


class BadRequest(Exception):
    """What cannot be read as HTTP/1.1; the connection ends."""


@dataclass
class Request:
    origin: str  # "as", "rs" or "elsewhere"
    base: str  # scheme, host and port of that origin
    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(self.target.partition("?")[2], keep_blank_values=True)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def value(self, name: str) -> str | None:
        return next(iter(self.values(name)), None)


@dataclass
class Response:
    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    stream: Iterable[bytes] | None = None  # sent chunked, in place of the body
    date: float | None = None  # seconds since 1970
    claimed_length: int | None = None  # a Content-Length that the body does not keep
    breakage: str | None = None  # reset | close: no answer at all; close_after: closed without a word after it


def json_response(status: int, value: object, headers: list[tuple[str, str]] | None = None) -> Response:
    body = json.dumps(value).encode()
    return Response(status, [("Content-Type", "application/json"), *(headers or [])], body)


class Connection(socketserver.StreamRequestHandler):
    """One connection, with keep-alive; its server's `answer` does the thinking."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        try:
            while (request := self._read()) is not None:
                if not self._write(self.server.answer(request), request):
                    return
        except BadRequest as error:
            self._write(Response(400, [("Connection", "close")], str(error).encode()), None)
        except OSError:
            pass  # the client went away, which is its right

    def _read(self) -> Request | None:
        line = self._line()
        if not line:
            return None
        parts = line.split(" ")
        if len(parts) != 3 or parts[2] != "HTTP/1.1" or not parts[1].startswith("/"):
            raise BadRequest(f"not an HTTP/1.1 request line: {line!r}")
        headers = []
        while line := self._line():
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip():
                raise BadRequest("not a header line")
            headers.append((name, value.strip(" \t")))
        request = Request(self.server.name, self.server.base, parts[0], parts[1], headers)
        if request.values("Host") != [self.server.base.removeprefix("http://")]:
            raise BadRequest("Host is not this origin")
        if request.value("Transfer-Encoding") is not None:
            raise BadRequest("a request body needs a Content-Length here")
        length = request.value("Content-Length") or "0"
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY:
            raise BadRequest("Content-Length")
        request.body = self.rfile.read(int(length))
        if len(request.body) != int(length):
            return None
        return request

    def _line(self) -> str:
        line = self.rfile.readline(MAX_LINE)
        if line and not line.endswith(b"\r\n"):
            raise BadRequest("a line that is too long, or without CRLF")
        return line.removesuffix(b"\r\n").decode("latin-1")

    def _write(self, response: Response, request: Request | None) -> bool:
        """Sends `response`, and says whether the connection lives on."""
        if response.breakage == "reset":
            # Zero linger makes close send RST; the reader holds the descriptor open, so it is closed too.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()
            return False
        if response.breakage == "close":
            return False
        asked = request is not None and (request.value("Connection") or "").lower() == "close"
        closes = request is None or asked or not self.server.keep_alive()
        headers = [*response.headers, ("Date", formatdate(response.date, usegmt=True))]
        if response.stream is not None:
            headers.append(("Transfer-Encoding", "chunked"))
        else:
            length = len(response.body) if response.claimed_length is None else response.claimed_length
            headers.append(("Content-Length", str(length)))
        if closes:
            headers.append(("Connection", "close"))
        try:
            phrase = HTTPStatus(response.status).phrase
        except ValueError:
            phrase = "Unknown"
        head = f"HTTP/1.1 {response.status} {phrase}\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers) + "\r\n"
        body = b"" if request is not None and request.method == "HEAD" else response.body
        self.wfile.write(head.encode("latin-1") + body)
        if response.stream is not None:
            for chunk in response.stream:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
        return not (closes or response.claimed_length is not None or response.breakage == "close_after")


class Presence:
    """How many connections are open, on all origins together."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = 0

    def change(self, by: int) -> None:
        with self._changed:
            self._open += by
            self._changed.notify_all()

    def wait_for(self, count: int, timeout: float) -> bool:
        """Waits until at most `count` connections are open (timeout in seconds)."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open <= count, timeout)


class Origin(socketserver.ThreadingTCPServer):
    """One origin on a free port of 127.0.0.1."""

    request_queue_size = 512  # a hundred clients at once must not meet a refused connection
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, name: str, answer: Callable[[Request], Response], keep_alive: Callable[[], bool],
                 presence: Presence):
        super().__init__(("127.0.0.1", 0), Connection)
        self.presence = presence
        self.name = name
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        self.answer = answer
        self.keep_alive = keep_alive

    def process_request(self, request: socket.socket, client_address: object) -> None:
        # Counted as it is accepted: in the order in which clients connected, not in that of threads.
        self.presence.change(1)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:
        super().shutdown_request(request)
        self.presence.change(-1)
