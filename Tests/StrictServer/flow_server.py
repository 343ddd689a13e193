#!/usr/bin/env python3
"""A resource server for bodies and statuses, on a free port of 127.0.0.1, which it prints.

It ends with standard input. Any method; what it answers is in the path:

    /echo           what came, as JSON: method, path, headers, length, sha256, chunked, asked_first
    /nonce          a challenge for the DPoP nonce n1, before the body is read; with it, an echo
    /status/N       that status; ?retry_after=X and ?location=X become fields, ?sent=N interim ones
    /flaky/N/S      the first N requests get the status S (?retry_after=X), the next ones an echo
    /bytes/N        N bytes
    /cut/N          half of the N bytes that were promised, and then nothing
    /forging/KIND   a body that would be a second answer to a client that reads its framing otherwise: a
                    length and chunks, two lengths, or an unrequested switch of protocols
    /bytes-beyond   a field with the byte 0xE9, and one in UTF-8
    /seen           how many requests came so far to each path
"""

import base64
import collections
import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

seen = collections.Counter()
BLOCK = b"x" * (1 << 20)
FORGED = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"


class Flow(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self, status, body=b"", fields=()):
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_expect_100(self):
        # Told only by those that want the body.
        return True

    def log_message(self, *_):
        pass

    def take_body(self):
        asked_first = self.headers.get("Expect") == "100-continue"
        if asked_first:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        digest, length, chunked = hashlib.sha256(), 0, False
        for part in self.parts():
            digest.update(part)
            length += len(part)
        chunked = self.headers.get("Transfer-Encoding") == "chunked"
        return {"length": length, "sha256": digest.hexdigest(), "chunked": chunked,
                "asked_first": asked_first}

    def parts(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        left = int(self.headers.get("Content-Length", 0))
        while left and (part := self.rfile.read(min(left, 1 << 20))):
            left -= len(part)
            yield part

    def echo(self):
        body = self.take_body()
        answer = {"method": self.command, "path": self.path, "headers": self.headers.items(), **body}
        self.answer(200, json.dumps(answer).encode(), [("Content-Type", "application/json")])

    def refuse(self, status, query):
        fields = [(name.replace("_", "-"), values[0]) for name, values in query.items()]
        # The body was not read.
        self.close_connection = True
        self.answer(status, f"no: {status}\n".encode(), [*fields, ("Connection", "close")])

    def do(self):
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        words = url.path.strip("/").split("/")
        before = seen[url.path]
        if url.path != "/seen":
            seen[url.path] += 1
        match words:
            case ["seen"]:
                self.answer(200, json.dumps(seen).encode())
            case ["nonce"] if nonce_of(self.headers.get("DPoP", "")) != "n1":
                self.close_connection = True
                self.answer(401, b"a nonce is missing\n", [
                    ("WWW-Authenticate", 'DPoP error="use_dpop_nonce"'), ("DPoP-Nonce", "n1"),
                    ("Connection", "close")])
            case ["status", status]:
                self.refuse(int(status), query)
            case ["flaky", count, status] if before < int(count):
                self.refuse(int(status), query)
            case ["bytes", count]:
                self.send_bytes(int(count), int(count))
            case ["cut", count]:
                self.send_bytes(int(count), int(count) // 2)
                self.close_connection = True
            case ["forging", kind]:
                self.forge(kind)
            case ["bytes-beyond"]:
                self.answer(200, b"", [("X-Byte", "caf\xe9"), ("X-Text", "caf\xc3\xa9")])
            case _:
                self.echo()

    def forge(self, kind):
        body = b"hello" + FORGED
        length = b"Content-Length: %d\r\n"
        self.wfile.write({
            "both": b"HTTP/1.1 200 OK\r\n" + length % 5 + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body)
            + body + b"\r\n0\r\n\r\n",
            "lengths": b"HTTP/1.1 200 OK\r\n" + length % 5 + length % len(body) + b"\r\n" + body,
            "list": b"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n" + body,
            "switch": b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + FORGED,
        }[kind])
        # An answer whose end is certain leaves the connection usable: to close it unsaid would race with the next request.
        self.close_connection = kind != "both"

    def send_bytes(self, promised, count):
        self.send_response_only(200)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        while count:
            part = BLOCK[:count]
            self.wfile.write(part)
            count -= len(part)

    locals()["do_M-SEARCH"] = do
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do


def nonce_of(proof):
    try:
        payload = proof.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))).get("nonce")
    except (IndexError, ValueError):
        return None


server = ThreadingHTTPServer(("127.0.0.1", 0), Flow)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
