#!/usr/bin/env python3
"""GitHub and Google, as far as a sign-in sees them, strict where they are.

GitHub: metadata below a path, forms as answers unless JSON is asked for, 200 for a code that is still pending, no secret
in the device flow, tokens without an end. Google: a secret that must be sent, `access_type=offline` and
`prompt=consent` for a refresh token. Prints its address as JSON; ends when its standard input is closed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

GITHUB_CLIENT, GOOGLE_CLIENT = "Iv1.0123456789abcdef", "1234-abcd.apps.googleusercontent.com"
GOOGLE_SECRET = "made-up-google-secret"
GITHUB_TOKEN = "gho_madeup0123456789"
polls: dict[str, int] = {}
codes: dict[str, dict[str, str]] = {}


def unsigned_token(claims: dict) -> str:
    parts = [{"alg": "RS256"}, claims]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, "bWFkZSB1cA"])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, status: int, body: dict | None, location: str | None = None) -> None:
        # GitHub writes a form where JSON is not asked for.
        wants_json = self.command == "GET" or self.headers.get("Accept") == "application/json"
        text = json.dumps(body or {}) if wants_json else urlencode(body or {})
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if wants_json else "application/x-www-form-urlencoded")
        self.send_header("Content-Length", str(len(data)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/.well-known/oauth-authorization-server/login/oauth":
                self.answer(200, {"issuer": f"{self.base}/login/oauth",
                                  "authorization_endpoint": f"{self.base}/login/oauth/authorize",
                                  "token_endpoint": f"{self.base}/login/oauth/access_token"})
            case "/user" if self.headers.get("Authorization") == f"Bearer {GITHUB_TOKEN}":
                self.answer(200, {"id": 583231, "login": "octocat"})
            case "/.well-known/openid-configuration":
                self.answer(200, {"issuer": self.base, "authorization_endpoint": f"{self.base}/o/oauth2/v2/auth",
                                  "token_endpoint": f"{self.base}/token", "revocation_endpoint": f"{self.base}/revoke"})
            case "/o/oauth2/v2/auth":
                wanted = {"client_id": GOOGLE_CLIENT, "response_type": "code", "code_challenge_method": "S256",
                          "access_type": "offline", "prompt": "consent"}
                wrong = [name for name, value in wanted.items() if query.get(name) != value]
                if wrong:
                    return self.answer(400, {"error": "invalid_request", "error_description": ", ".join(wrong)})
                code = secrets.token_urlsafe(16)
                codes[code] = query
                back = urlencode({"code": code, "state": query["state"]})
                self.answer(302, None, f"{query['redirect_uri']}?{back}")
            case _:
                self.answer(404 if parts.path != "/user" else 401, {"message": "Not Found"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = {name: values[0] for name, values in parse_qs(body, strict_parsing=True).items()}
        match self.path:
            case "/login/device/code":
                if form.get("client_id") != GITHUB_CLIENT:
                    return self.answer(404, {"error": "Not Found"})
                code = secrets.token_urlsafe(16)
                polls[code] = 0
                self.answer(200, {"device_code": code, "user_code": "WDJB-MJHT", "interval": 1, "expires_in": 900,
                                  "verification_uri": f"{self.base}/login/device"})
            case "/login/oauth/access_token":
                self.answer(200, self.device_grant(form))
            case "/token":
                self.google_grant(form)
            case "/revoke":
                self.answer(200, {})
            case _:
                self.answer(404, {"message": "Not Found"})

    def device_grant(self, form: dict[str, str]) -> dict:
        code = form.get("device_code", "")
        if form.get("client_id") != GITHUB_CLIENT or "client_secret" in form:
            return {"error": "incorrect_client_credentials"}
        if code not in polls:
            return {"error": "incorrect_device_code"}
        polls[code] += 1
        if polls[code] == 1:
            return {"error": "authorization_pending", "error_description": "The authorization request is pending."}
        del polls[code]
        return {"access_token": GITHUB_TOKEN, "token_type": "bearer", "scope": "gist,read:org,repo"}

    def google_grant(self, form: dict[str, str]) -> None:
        request = codes.pop(form.get("code", ""), None)
        if form.get("client_secret") != GOOGLE_SECRET:
            return self.answer(400, {"error": "invalid_request", "error_description": "client_secret is missing."})
        if request is None or form.get("redirect_uri") != request["redirect_uri"]:
            return self.answer(400, {"error": "invalid_grant"})
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != request["code_challenge"]:
            return self.answer(400, {"error": "invalid_grant", "error_description": "Invalid code verifier."})
        claims = {"iss": self.base, "aud": GOOGLE_CLIENT, "sub": "1081234567890", "email": "alice@example.com",
                  "exp": 4102444800, "iat": 1700000000}
        if "nonce" in request:
            claims["nonce"] = request["nonce"]
        self.answer(200, {"access_token": "ya29.made-up", "token_type": "Bearer", "expires_in": 3599,
                          "refresh_token": "1//made-up", "scope": request["scope"], "id_token": unsigned_token(claims)})


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"address": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
