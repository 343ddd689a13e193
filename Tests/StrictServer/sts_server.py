#!/usr/bin/env python3
"""A strict Security Token Service of AWS: AssumeRoleWithWebIdentity, and what a wrong client sends.

usage: sts_server.py [--settings JSON]

It prints one line of JSON when it is ready, with its `endpoint`, and ends when its stdin closes.

`settings`: `issuer` and `audience` of the tokens that it trusts (their signature is not looked at), `role`, `lifetime`
(seconds; `DurationSeconds` counts more), `delay` (seconds before each answer), `refuse` (a code, with the status 400 or
`status`). `/control/settings` changes them, `/control/log` tells the calls, the violations and the secrets given out.
"""

import base64
import http.server
import json
import re
import secrets
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

settings = {"issuer": "https://as.example", "audience": "client", "role": "arn:aws:iam::123456789012:role/made-up",
            "lifetime": 3600, "delay": 0, "refuse": None, "status": 400}
if len(sys.argv) > 2:
    settings.update(json.loads(sys.argv[2]))
lock = threading.Lock()
calls, violations, given = [], [], []
NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/"
NEEDED = {"Action", "Version", "RoleArn", "RoleSessionName", "WebIdentityToken"}


class Refusal(Exception):
    def __init__(self, code, message, status=400):
        super().__init__(message)
        self.code, self.status = code, status


def claims(token):
    parts = token.split(".")
    if len(parts) != 3:
        raise Refusal("InvalidIdentityToken", "not a JWT")
    return json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))


def keys(form):
    if form["RoleArn"] != settings["role"]:
        raise Refusal("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403)
    said = claims(form["WebIdentityToken"])
    if said.get("iss") != settings["issuer"]:
        raise Refusal("InvalidIdentityToken", "No OpenIDConnect provider found in your account")
    if said.get("aud") != settings["audience"]:
        raise Refusal("InvalidIdentityToken", "Incorrect token audience")
    if said.get("exp", 0) <= time.time():
        raise Refusal("ExpiredTokenException", f"Token expired: {form['WebIdentityToken']}")
    end = time.time() + int(form.get("DurationSeconds", settings["lifetime"]))
    pair = (secrets.token_urlsafe(30), secrets.token_urlsafe(600))
    with lock:
        given.extend(pair)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end))
    return f"""<AssumeRoleWithWebIdentityResponse xmlns="{NAMESPACE}">
  <AssumeRoleWithWebIdentityResult>
    <Audience>{escape(settings["audience"])}</Audience>
    <AssumedRoleUser><AssumedRoleId>AROAMADEUP:{form["RoleSessionName"]}</AssumedRoleId></AssumedRoleUser>
    <Credentials><SessionToken>{pair[1]}</SessionToken><SecretAccessKey>{pair[0]}</SecretAccessKey>
      <Expiration>{stamp}</Expiration><AccessKeyId>ASIA{len(given):016d}</AccessKeyId></Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>made-up</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def write(self, status, body, kind="text/xml"):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def violate(self, words):
        with lock:
            violations.append(words)
        raise Refusal("ValidationError", words)

    def do_GET(self):
        if self.path == "/control/log":
            with lock:
                return self.write(200, json.dumps({"calls": calls, "violations": violations, "secrets": given}),
                                  "application/json")
        with lock:
            violations.append(f"GET {self.path}")
        return self.write(404, "")

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        if self.path == "/control/settings":
            settings.update(json.loads(data))
            return self.write(200, json.dumps(settings), "application/json")
        try:
            form = self.form(data)
            with lock:
                calls.append({name: form[name] for name in form if name != "WebIdentityToken"})
            time.sleep(settings["delay"])
            if settings["refuse"]:
                raise Refusal(settings["refuse"], f"no {form['WebIdentityToken']}", settings["status"])
            return self.write(200, keys(form))
        except Refusal as refusal:
            return self.write(refusal.status, f"""<ErrorResponse xmlns="{NAMESPACE}">
  <Error><Type>Sender</Type><Code>{refusal.code}</Code><Message>{escape(str(refusal))}</Message></Error>
  <RequestId>made-up</RequestId>
</ErrorResponse>""")

    def form(self, data):
        if self.path != "/":
            self.violate(f"the path {self.path}")
        if "Authorization" in self.headers or "Cookie" in self.headers:
            self.violate("a credential in a field: the call is unsigned")
        if self.headers.get("Content-Type") != "application/x-www-form-urlencoded":
            self.violate("another media type")
        pairs = urllib.parse.parse_qsl(data, keep_blank_values=True, strict_parsing=True)
        form = dict(pairs)
        if "&".join(f"{name}={urllib.parse.quote(value, safe='')}" for name, value in pairs) != data:
            self.violate("a form that is not percent-encoded to the letter")
        if len(form) != len(pairs) or not NEEDED <= set(form) or set(form) - NEEDED - {"DurationSeconds"}:
            self.violate(f"the parameters {sorted(name for name, _ in pairs)}")
        if (form["Action"], form["Version"]) != ("AssumeRoleWithWebIdentity", "2011-06-15"):
            self.violate("another action or version")
        if not re.fullmatch(r"[\w+=,.@-]{2,64}", form["RoleSessionName"], re.ASCII):
            self.violate("the session's name")
        if not 900 <= int(form.get("DurationSeconds", 900)) <= 43200:
            self.violate("the duration")
        if not 4 <= len(form["WebIdentityToken"]) <= 20000:
            self.violate("the token's length")
        return form


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}"
print(json.dumps({"endpoint": base}), flush=True)
sys.stdin.read()
