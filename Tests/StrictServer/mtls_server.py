#!/usr/bin/env python3
"""An authorization server whose clients authenticate themselves by certificates (RFC 8705), and a resource server.

usage: mtls_server.py CERTIFICATE KEY CLIENT_AUTHORITIES [--settings JSON]

It prints one line of JSON when it is ready: `issuer` (asks for no certificate), `mtls` (the aliases of its endpoints,
which require one of the authorities'), `resource` (the same), and `control`, and ends when its stdin closes.

The client is `acct-test`. `settings`: `method` (`tls_client_auth`: any certificate whose common name is the client's;
`self_signed_tls_client_auth`: the first certificate that came), `format` (`jwt`, `opaque`), `bind` (a thumbprint that
tokens are bound to in place of the certificate's), `aliases` (false: the endpoints of the issuer's own port are the
only ones, and it asks for certificates). `/control/settings` changes them, `/control/log` tells the requests and the
violations: what only a wrong client sends.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import secrets
import socket
import ssl
import sys
import threading
import time
import urllib.parse

CLIENT = "acct-test"
SECRET_PARTS = ("client_secret", "client_assertion", "client_assertion_type")
certificate_file, key_file, authorities, *rest = sys.argv[1:]
settings = {"method": "tls_client_auth", "format": "jwt", "bind": None, "aliases": True}
if rest:
    settings.update(json.loads(rest[1]))
lock = threading.Lock()
tokens, refresh_tokens, log, violations, registered = {}, {}, [], [], []
bases = {}


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def context(asks):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate_file, key_file)
    if asks:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(authorities)
    return made


def common_name(peer):
    return dict(pair for part in peer.get("subject", ()) for pair in part).get("commonName")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def answer(self, status, body, **fields):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)
        with lock:
            log.append({"place": self.server.place, "path": self.path, "status": status,
                        "thumbprint": self.thumbprint, "grant_type": self.form.get("grant_type")})

    def violate(self, words):
        with lock:
            violations.append(f"{self.server.place} {self.path}: {words}")

    @property
    def thumbprint(self):
        own = self.own_certificate
        return encode(hashlib.sha256(own).digest()) if own else None

    @property
    def own_certificate(self):
        return self.connection.getpeercert(binary_form=True) if isinstance(self.connection, ssl.SSLSocket) else None

    form: dict = {}

    def do_GET(self):
        self.form = {}
        if self.server.place == "control":
            with lock:
                body = {"requests": list(log), "violations": list(violations)}
            return self.answer_control(body)
        if self.server.place == "resource":
            return self.resource()
        if self.path.startswith("/.well-known/"):
            return self.answer(200, metadata()) if self.server.place == "issuer" else self.answer(404, {})
        return self.answer(404, {"error": "not_found"})

    def answer_control(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.server.place == "control":
            with lock:
                settings.update(json.loads(data))
            return self.answer_control(settings)
        if self.server.place == "resource":
            self.form = {}
            return self.resource()
        pairs = urllib.parse.parse_qsl(data.decode(), keep_blank_values=True, strict_parsing=True)
        self.form = dict(pairs)
        if len(self.form) != len(pairs):
            self.violate("a parameter twice")
        place = "mtls" if settings["aliases"] else "issuer"
        if self.server.place != place:
            self.violate("not at the endpoint for mutual TLS")
            return self.answer(401, {"error": "invalid_client"})
        if not self.is_client():
            return self.answer(401, {"error": "invalid_client"})
        action = {"/token": self.token, "/start": self.start, "/revoke": self.revoke,
                  "/introspect": self.introspect}.get(self.path)
        return action() if action else self.answer(404, {"error": "not_found"})

    def is_client(self):
        """RFC 8705, section 2: the certificate authenticates the client that the form names, and nothing else does."""
        if "Authorization" in self.headers:
            self.violate("two ways to authenticate: Authorization")
        for part in SECRET_PARTS:
            if part in self.form:
                self.violate(f"two ways to authenticate: {part}")
        if self.form.get("client_id") != CLIENT:
            self.violate("no client_id of the client's")
            return False
        if not self.own_certificate:
            return False
        if settings["method"] == "tls_client_auth":
            return common_name(self.connection.getpeercert()) == CLIENT
        with lock:
            if not registered:
                registered.append(self.thumbprint)
            return registered[0] == self.thumbprint

    def start(self):
        self.answer(200, {"device_code": secrets.token_urlsafe(), "user_code": "BCDF-GHJK", "expires_in": 600,
                          "verification_uri": f"{bases['issuer']}/device", "interval": 1})

    def token(self):
        grant = self.form.get("grant_type")
        if grant == "refresh_token":
            with lock:
                known = refresh_tokens.pop(self.form.get("refresh_token"), None)
            if known != self.thumbprint:
                return self.answer(400, {"error": "invalid_grant"})
        elif grant not in ("client_credentials", "urn:ietf:params:oauth:grant-type:device_code"):
            return self.answer(400, {"error": "unsupported_grant_type"})
        bound = settings["bind"] or self.thumbprint
        subject = CLIENT if grant == "client_credentials" else "alice"
        claims = {"iss": bases["issuer"], "sub": subject, "client_id": CLIENT, "exp": int(time.time()) + 3600,
                  "jti": secrets.token_hex(8), "cnf": {"x5t#S256": bound}}
        parts = [json.dumps({"alg": "HS256", "typ": "at+jwt"}).encode(), json.dumps(claims).encode(),
                 secrets.token_bytes(32)]
        token = ".".join(map(encode, parts)) if settings["format"] == "jwt" else secrets.token_urlsafe(32)
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": 3600}
        with lock:
            tokens[token] = bound
            if grant != "client_credentials":
                answer["refresh_token"] = secrets.token_urlsafe(32)
                refresh_tokens[answer["refresh_token"]] = self.thumbprint
        return self.answer(200, answer)

    def revoke(self):
        with lock:
            tokens.pop(self.form.get("token"), None)
            refresh_tokens.pop(self.form.get("token"), None)
        return self.answer(200, {})

    def introspect(self):
        with lock:
            bound = tokens.get(self.form.get("token"))
        return self.answer(200, {"active": bound is not None, "sub": "alice", "cnf": {"x5t#S256": bound}})

    def resource(self):
        """RFC 8705, section 3: the token is good on a connection with its certificate only."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        with lock:
            bound = tokens.get(token)
        if scheme != "Bearer" or bound is None or bound != self.thumbprint:
            return self.answer(401, {"error": "invalid_token"}, WWW_Authenticate='Bearer error="invalid_token"')
        return self.answer(200, {"thumbprint": self.thumbprint})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, place, tls):
        super().__init__(("127.0.0.1", 0), Handler)
        self.place, self.tls = place, tls

    def finish_request(self, request, client_address):
        # In the thread of the connection: a client that is slow, or is refused, holds up no other.
        with contextlib.suppress(OSError):
            if self.tls:
                request = self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
                try:
                    request.do_handshake()
                except OSError:
                    # A request that is on its way already would have the alert lost with the connection.
                    socket.socket.shutdown(request, socket.SHUT_WR)
                    while socket.socket.recv(request, 65536):
                        pass
                    request.close()
                    return
            self.RequestHandlerClass(request, client_address, self)
            request.close()


def metadata():
    issuer = bases["issuer"]
    endpoints = {"token_endpoint": "/token", "device_authorization_endpoint": "/start",
                 "revocation_endpoint": "/revoke", "introspection_endpoint": "/introspect"}
    document = {name: issuer + path for name, path in endpoints.items()} | {
        "issuer": issuer, "response_types_supported": ["code"],
        "grant_types_supported": ["refresh_token", "client_credentials"],
        "token_endpoint_auth_methods_supported": [settings["method"]],
        "tls_client_certificate_bound_access_tokens": True}
    if settings["aliases"]:
        document["mtls_endpoint_aliases"] = {name: bases["mtls"] + path for name, path in endpoints.items()}
    return document


servers = [Server("issuer", context(not settings["aliases"])), Server("mtls", context(True)),
           Server("resource", context(True)), Server("control", None)]
for server in servers:
    scheme, host = ("https", "localhost") if server.tls else ("http", "127.0.0.1")
    bases[server.place] = f"{scheme}://{host}:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps(bases), flush=True)
while sys.stdin.buffer.read(4096):
    pass
os._exit(0)
