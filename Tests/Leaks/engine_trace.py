"""Ends TLS before an engine, begins it anew to the engine, and writes down what passes: engine_trace.py KIND PORT
AUTHORITY CERTIFICATE KEY FOLDER

KIND is etcd or postgres, and PORT the engine's on 127.0.0.1. CERTIFICATE, with its KEY, is shown to both ends;
AUTHORITY has issued theirs. A PostgreSQL has to be given its own: passwords are bound to it. Prints a free port of
127.0.0.1. FOLDER gets two files for each connection, `N.to` and `N.from`, with all bytes of one direction, and for
etcd a third and fourth, `N.to.heads` and `N.from.heads`, with the fields of HTTP/2, which is compressed otherwise. It
all ends with standard input.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import select
import socket
import ssl
import sys
import threading
from collections.abc import Iterator

kind, port, authority, certificate, key, folder = sys.argv[1:]

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, CONTINUATION = 1, 9
END_HEADERS, PADDED, PRIORITY = 0x4, 0x8, 0x20
SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")  # PostgreSQL's "Message Formats"


class Field(ctypes.Structure):
    """`nghttp2_nv`."""

    _fields_ = [("name", ctypes.POINTER(ctypes.c_char)), ("value", ctypes.POINTER(ctypes.c_char)),
                ("name_count", ctypes.c_size_t), ("value_count", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Heads:
    """The fields of one direction of an HTTP/2 connection (RFC 9113), decompressed by libcurl's own nghttp2."""

    FINAL, EMIT = 1, 2

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libnghttp2.so.14")
        self.inflater = ctypes.c_void_p()
        if self.library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater)):
            raise MemoryError
        self.bytes = b""
        self.block = b""

    def take(self, part: bytes) -> Iterator[bytes]:
        self.bytes += part
        if PREFACE.startswith(self.bytes[:len(PREFACE)]):
            if len(self.bytes) < len(PREFACE):
                return
            self.bytes = self.bytes[len(PREFACE):]
        while len(self.bytes) >= 9 and len(self.bytes) >= 9 + (count := int.from_bytes(self.bytes[:3], "big")):
            frame, flags, payload = self.bytes[3], self.bytes[4], self.bytes[9:9 + count]
            self.bytes = self.bytes[9 + count:]
            if frame == HEADERS and flags & PADDED:
                payload = payload[1:len(payload) - payload[0]]
            if frame == HEADERS and flags & PRIORITY:
                payload = payload[5:]
            if frame in (HEADERS, CONTINUATION):
                self.block += payload
                if flags & END_HEADERS:
                    yield from self.inflated()

    def inflated(self) -> Iterator[bytes]:
        block, self.block = self.block, b""
        field, flags = Field(), ctypes.c_int(0)
        while not flags.value & self.FINAL:
            taken = self.library.nghttp2_hd_inflate_hd2(
                self.inflater, ctypes.byref(field), ctypes.byref(flags), block, ctypes.c_size_t(len(block)), 1)
            if taken < 0:
                raise ValueError(f"nghttp2_hd_inflate_hd2: {taken}")
            block = block[taken:]
            if flags.value & self.EMIT:
                yield field.name[:field.name_count] + b": " + field.value[:field.value_count]
        self.library.nghttp2_hd_inflate_end_headers(self.inflater)


class Direction:
    """What one end says to the other."""

    def __init__(self, source: ssl.SSLSocket, sink: ssl.SSLSocket, name: str) -> None:
        self.source, self.sink = source, sink
        path = os.path.join(folder, name)
        self.file = open(path, "wb", 0)
        self.heads = Heads() if kind == "etcd" else None
        self.lines = open(f"{path}.heads", "wb", 0) if self.heads else None
        source.setblocking(False)

    def pass_on(self) -> bool:
        """Writes down what has come before it is passed on: what was answered is in the files. False at the end."""
        try:
            part = self.source.recv(65536)
        except ssl.SSLWantReadError:
            # TLS's own, such as a ticket, or a part of a record.
            return True
        self.file.write(part)
        if self.heads and self.lines:
            for line in self.heads.take(part):
                self.lines.write(line + b"\n")
        self.sink.setblocking(True)
        self.sink.sendall(part)
        self.sink.setblocking(False)
        return bool(part)


def relay(client: ssl.SSLSocket, server: ssl.SSLSocket, number: int) -> None:
    """Passes on what both say, in one thread: a connection of OpenSSL's is not for two at a time."""
    directions = {client: Direction(client, server, f"{number}.to"), server: Direction(server, client, f"{number}.from")}
    while True:
        decrypted = [end for end in directions if end.pending()]
        for end in decrypted or select.select(directions, [], [])[0]:
            if not directions[end].pass_on():
                return


server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_side.load_cert_chain(certificate, key)
client_side = ssl.create_default_context(cafile=authority)
if kind == "etcd":
    server_side.load_verify_locations(authority)
    server_side.verify_mode = ssl.CERT_REQUIRED
    client_side.load_cert_chain(certificate, key)
    for context in (server_side, client_side):
        context.set_alpn_protocols(["h2"])


def serve(client: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):
        server = socket.create_connection(("127.0.0.1", int(port)))
        if kind == "postgres":
            # Anything but a request for TLS would be a connection without it.
            if client.recv(len(SSL_REQUEST), socket.MSG_WAITALL) != SSL_REQUEST:
                client.close()
                return
            server.sendall(SSL_REQUEST)
            client.sendall(server.recv(1))
        inside = server_side.wrap_socket(client, server_side=True)
        outside = client_side.wrap_socket(server, server_hostname="127.0.0.1")
        with inside, outside:
            relay(inside, outside, number)
        return
    client.close()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def accept() -> None:
    for number in itertools.count():
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, number), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
