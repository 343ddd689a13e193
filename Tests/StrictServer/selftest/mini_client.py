"""An OAuth client of its own for the self-test, and the server under test; shares no code with the server."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import secrets
import subprocess
import sys
import time
import unittest
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

FOLDER = Path(__file__).resolve().parent.parent
CLIENT = "acct-test"
REDIRECT = "http://127.0.0.1:39999/callback"
REFRESH = "refresh_token"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def part(value: object) -> str:
    return b64(json.dumps(value, separators=(",", ":")).encode())


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def error(self) -> str | None:
        return self.json.get("error") if self.body else None


def send(method: str, url: str, body: bytes | None = None, headers: list[tuple[str, str]] = (),
         timeout: float = 20) -> Answer:
    """One request on a connection of its own, without following redirects."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    try:
        connection.putrequest(method, parts.path + (f"?{parts.query}" if parts.query else ""),
                              skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


class Key:
    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256",
                    "x": b64(numbers.x.to_bytes(32, "big")), "y": b64(numbers.y.to_bytes(32, "big"))}

    @property
    def jkt(self) -> str:
        text = '{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}' % (self.jwk["x"], self.jwk["y"])
        return b64(hashlib.sha256(text.encode()).digest())

    def sign(self, header: dict, claims: dict, der: bool = False) -> str:
        signed = f"{part(header)}.{part(claims)}"
        signature = self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
        if not der:
            r, s = decode_dss_signature(signature)
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return f"{signed}.{b64(signature)}"


class Client:
    """Makes right requests; each method lets a test make one thing wrong."""

    def __init__(self, issuer: str, resource: str):
        self.issuer, self.resource = issuer, resource
        self.key = Key()
        self.nonces: dict[str, str] = {}

    def proof(self, method: str, url: str, token: str | None = None, header: dict | None = None,
              der: bool = False, without: tuple[str, ...] = (), **claims: object) -> str:
        parts = urlsplit(url)
        value = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": f"http://{parts.netloc}{parts.path}",
                 "iat": int(time.time())}
        if parts.netloc in self.nonces:
            value["nonce"] = self.nonces[parts.netloc]
        if token is not None:
            value["ath"] = b64(hashlib.sha256(token.encode()).digest())
        value.update(claims)
        value = {name: claim for name, claim in value.items() if name not in without}
        return self.key.sign({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.jwk, **(header or {})}, value, der)

    def learn(self, url: str, answer: Answer) -> Answer:
        if nonce := answer.headers.get("DPoP-Nonce"):
            self.nonces[urlsplit(url).netloc] = nonce
        return answer

    def post(self, path: str, form: dict, proof: str | bool = True, headers: list[tuple[str, str]] = ()) -> Answer:
        """Posts a form; `proof` is a ready one, or True for a right one with one retry for the nonce."""
        url = self.issuer + path
        for _ in range(2):
            lines = [("Content-Type", "application/x-www-form-urlencoded"), *headers]
            if proof:
                lines.append(("DPoP", self.proof("POST", url) if proof is True else proof))
            answer = self.learn(url, send("POST", url, urlencode(form).encode(), lines))
            if proof is not True or answer.status != 400 or answer.error != "use_dpop_nonce":
                return answer
        return answer

    def get_resource(self, token: str, scheme: str = "DPoP", proof: str | bool = True, query: str = "") -> Answer:
        url = f"{self.resource}/resource{query}"
        for _ in range(2):
            lines = [("Authorization", f"{scheme} {token}")]
            if proof:
                lines.append(("DPoP", self.proof("GET", url, token) if proof is True else proof))
            answer = self.learn(url, send("GET", url, None, lines))
            if proof is not True or "use_dpop_nonce" not in (answer.headers.get("WWW-Authenticate") or ""):
                return answer
        return answer

    def refresh(self, token: str, **changes: object) -> Answer:
        proof = changes.pop("proof", True)
        return self.post("/token", {"grant_type": REFRESH, "refresh_token": token, "client_id": CLIENT, **changes},
                         proof)

    def authorization(self, **changes: str | None) -> tuple[dict, str]:
        verifier = secrets.token_urlsafe(32)
        form = {"client_id": CLIENT, "response_type": "code", "redirect_uri": REDIRECT,
                "state": secrets.token_urlsafe(16), "code_challenge_method": "S256",
                "code_challenge": b64(hashlib.sha256(verifier.encode()).digest()), "dpop_jkt": self.key.jkt, **changes}
        return {name: value for name, value in form.items() if value is not None}, verifier

    def authorize(self, parameters: dict, headers: list[tuple[str, str]] = ()) -> Answer:
        return send("GET", f"{self.issuer}/authorize?{urlencode(parameters)}", headers=headers)

    def sign_in(self, **changes: str | None) -> tuple[dict, str]:
        """The callback's parameters, and the verifier."""
        form, verifier = self.authorization(**changes)
        pushed = self.post("/par", form, proof=False)
        assert pushed.status == 201, pushed
        answer = self.authorize({"client_id": CLIENT, "request_uri": pushed.json["request_uri"]})
        return callback(answer), verifier

    def redeem(self, code: str, verifier: str, **changes: object) -> Answer:
        proof = changes.pop("proof", True)
        return self.post("/token", {"grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                                    "redirect_uri": REDIRECT, "client_id": CLIENT, **changes}, proof)


def callback(answer: Answer) -> dict:
    assert answer.status == 302, answer
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


class Server:
    def __init__(self, *arguments: str):
        self.process = subprocess.Popen([sys.executable, str(FOLDER / "strict_server.py"), *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ})
        self.ready = json.loads(self.process.stdout.readline())

    def control(self, command: str, value: object = None, method: str = "POST") -> dict:
        body = None if value is None else json.dumps(value).encode()
        answer = send(method, f"{self.ready['control']}/{command}", body)
        if answer.status != 200:
            raise ValueError(answer.json)
        return answer.json

    def stop(self) -> int:
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(10)


class StrictServerTest(unittest.TestCase):
    """One server for each class of tests, put back to its start before each test."""

    arguments: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*cls.arguments)
        cls.addClassCleanup(cls.server.stop)

    def setUp(self) -> None:
        self.server.control("reset")
        self.client = Client(self.server.ready["issuer"], self.server.ready["resource"])

    def settings(self, **changes: object) -> None:
        self.server.control("settings", changes)

    def issue(self, **asked: object) -> dict:
        return self.server.control("issue", {"jwk": self.client.key.jwk, **asked})

    def counts(self) -> dict:
        return self.server.control("counts")["counts"]

    def assertError(self, answer: Answer, error: str, status: int = 400, says: str = "") -> None:
        self.assertEqual((answer.status, answer.error), (status, error), answer.body)
        if says:
            self.assertIn(says, answer.body.decode())
