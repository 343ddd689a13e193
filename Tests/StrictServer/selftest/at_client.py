"""An AT Protocol client of its own for the self-test, and the network under test; shares no code with the network."""

from __future__ import annotations

import hashlib
import json
import secrets
import socket
import struct
import subprocess
import sys
import unittest
from urllib.parse import urlencode

from .mini_client import FOLDER, Answer, Client, Server, b64, callback, send

REDIRECT = "http://127.0.0.1:39999/callback"
SCOPE = "atproto transition:generic"


def loopback_id(redirect: str = "http://127.0.0.1/callback", scope: str = SCOPE) -> str:
    return "http://localhost?" + urlencode({"redirect_uri": redirect, "scope": scope})


class ATClient(Client):
    """Makes right requests; each method lets a test make one thing wrong."""

    def __init__(self, issuer: str, resource: str, client_id: str = ""):
        super().__init__(issuer, resource)
        self.client_id = client_id or loopback_id()

    def par(self, proof: str | bool = True, **changes: str | None) -> Answer:
        self.verifier = secrets.token_urlsafe(32)
        form = {"client_id": self.client_id, "response_type": "code", "redirect_uri": REDIRECT, "scope": SCOPE,
                "state": secrets.token_urlsafe(16), "code_challenge_method": "S256", "login_hint": "alice.test",
                "code_challenge": b64(hashlib.sha256(self.verifier.encode()).digest()), **changes}
        self.form = {name: value for name, value in form.items() if value is not None}
        return self.post("/oauth/par", self.form, proof)

    def authorize_at(self, parameters: dict) -> Answer:
        return send("GET", f"{self.issuer}/oauth/authorize?{urlencode(parameters)}")

    def callback(self, **changes: str | None) -> dict:
        pushed = self.par(**changes)
        assert pushed.status == 201, pushed
        return callback(self.authorize_at({"client_id": self.client_id, "request_uri": pushed.json["request_uri"]}))

    def sign_in(self, **changes: str | None) -> Answer:
        """The answer of the token endpoint."""
        return self.redeem(self.callback(**changes)["code"])

    def redeem(self, code: str, **changes: object) -> Answer:
        proof = changes.pop("proof", True)
        return self.post("/oauth/token", {
            "grant_type": "authorization_code", "code": code, "code_verifier": self.verifier,
            "redirect_uri": self.form["redirect_uri"], "client_id": self.client_id, **changes}, proof)

    def refresh(self, token: str, **changes: object) -> Answer:
        proof = changes.pop("proof", True)
        return self.post("/oauth/token", {"grant_type": "refresh_token", "refresh_token": token,
                                          "client_id": self.client_id, **changes}, proof)

    def revoke(self, token: str, proof: str | bool = True) -> Answer:
        return self.post("/oauth/revoke", {"token": token, "client_id": self.client_id}, proof)

    def xrpc(self, token: str, method: str = "GET", nsid: str = "com.atproto.server.getSession",
             query: str = "") -> Answer:
        url = f"{self.resource}/xrpc/{nsid}"
        for _ in range(2):
            lines = [("Authorization", f"DPoP {token}"), ("DPoP", self.proof(method, url, token))]
            answer = self.learn(url, send(method, url + query, None, lines))
            if "use_dpop_nonce" not in (answer.headers.get("WWW-Authenticate") or ""):
                return answer
        return answer


class Network(Server):
    def __init__(self, *arguments: str):
        self.process = subprocess.Popen([sys.executable, str(FOLDER / "atproto_server.py"), *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ready = json.loads(self.process.stdout.readline())


class NetworkTest(unittest.TestCase):
    """One network for each class of tests, put back to its start before each test."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Network()
        cls.addClassCleanup(cls.server.stop)
        cls.ready = cls.server.ready
        cls.alice, cls.bob, cls.carol, cls.mallory = cls.ready["accounts"].values()

    def setUp(self) -> None:
        self.server.control("reset")
        self.client = ATClient(self.ready["issuer"], self.ready["pds"])

    def settings(self, **changes: object) -> None:
        self.server.control("settings", changes)

    def account(self, handle: str = "alice.test", /, **changes: object) -> None:
        self.settings(accounts={handle: changes})

    def issue(self, **asked: object) -> dict:
        return self.server.control("issue", {"jwk": self.client.key.jwk, "client_id": self.client.client_id, **asked})

    def log(self) -> dict:
        return self.server.control("log")

    def assertError(self, answer: Answer, error: str, status: int = 400, says: str = "") -> None:
        self.assertEqual((answer.status, answer.error), (status, error), answer.body)
        if says:
            self.assertIn(says, answer.body.decode())


def dns_query(name: str, kind: int = 16, flags: int = 0x0100, edns: int | None = None) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    opt = b"" if edns is None else b"\0" + struct.pack("!2HIH", 41, edns, 0, 0)
    head = struct.pack("!6H", 0x1234, flags, 1, 0, 0, bool(opt))
    return head + labels + b"\0" + struct.pack("!2H", kind, 1) + opt


def over_udp(address: str, data: bytes, answers: int = 1, timeout: float = 5) -> list[bytes]:
    host, _, port = address.partition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(timeout)
        connection.sendto(data, (host, int(port)))
        return [connection.recv(4096) for _ in range(answers)]


def over_tcp(address: str, data: bytes) -> bytes:
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection, connection.makefile("rb") as reader:
        connection.sendall(struct.pack("!H", len(data)) + data)
        return reader.read(struct.unpack("!H", reader.read(2))[0])


def name_at(data: bytes, at: int) -> tuple[str, int]:
    """The name at `at`, and where it ends; at most ten pointers deep."""
    labels, end = [], None
    for _ in range(30):
        length = data[at]
        if length & 0xC0 == 0xC0:
            end = at + 2 if end is None else end
            at = struct.unpack("!H", data[at:at + 2])[0] & 0x3FFF
            continue
        at += 1 + length
        if not length:
            return ".".join(labels), at if end is None else end
        labels.append(data[at - length:at].decode())
    raise ValueError("a loop")


def texts_of(data: bytes) -> list[str]:
    """The TXT records of an answer that are the question's, or its alias's."""
    _, _, questions, answers, _, _ = struct.unpack("!6H", data[:12])
    asked, at = name_at(data, 12)
    at += 4 * questions
    found = []
    for _ in range(answers):
        owner, at = name_at(data, at)
        kind, _, _, length = struct.unpack("!2HIH", data[at:at + 10])
        at += 10
        if at + length > len(data):
            raise ValueError("cut off")
        if kind == 5 and owner == asked:
            asked, _ = name_at(data, at)
        elif kind == 16 and owner == asked:
            text, place = "", at
            while place < at + length:
                text += data[place + 1:place + 1 + data[place]].decode()
                place += 1 + data[place]
            if place != at + length:
                raise ValueError("a string that leaves its record")
            found.append(text)
        at += length
    return found


