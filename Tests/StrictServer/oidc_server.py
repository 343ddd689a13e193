#!/usr/bin/env python3
"""An OpenID provider that renews: each refresh token is good once, and brings an ID token for an hour.

It prints one line of JSON when it is ready: `issuer` and `import`, a session for `acct add --import` whose ID token has
ten minutes left; then a line `refresh` for each renewal. It ends when its stdin closes. The signatures are made up.
"""

import base64
import http.server
import json
import os
import secrets
import sys
import threading
import time
import urllib.parse

lock = threading.Lock()


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def tokens(lifetime):
    now = int(time.time())
    claims = {"iss": base, "aud": "client", "sub": "alice", "iat": now, "exp": now + lifetime,
              "jti": secrets.token_urlsafe(8)}
    return {"access_token": secrets.token_urlsafe(20), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": current[0], "id_token": f"{encoded({'alg': 'ES256'})}.{encoded(claims)}.c2lnbmF0dXJl"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def write(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if "/.well-known/" not in self.path:
            return self.write(404, {})
        return self.write(200, {
            "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]})

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        time.sleep(0.5)
        with lock:
            if form.get("grant_type") != "refresh_token" or form.get("refresh_token") != current[0]:
                return self.write(400, {"error": "invalid_grant"})
            current[0] = secrets.token_urlsafe(20)
            print("refresh", flush=True)
            return self.write(200, tokens(3600))


current = [secrets.token_urlsafe(20)]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
base = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
session = tokens(600) | {"issuer": base, "clientId": "client", "handle": "alice.example"}
print(json.dumps({"issuer": base, "import": json.dumps(session)}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
os._exit(0)
