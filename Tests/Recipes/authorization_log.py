#!/usr/bin/env python3
"""A server on loopback that tells which `Authorization` comes to it. usage: authorization_log.py

Prints {"server": ORIGIN} when it serves, and ends with its standard input. The body of each answer is the value, or -.
For programs of containers it is a registry without images, which asks for a password; for cargo it is a sparse
registry in each folder, such as /a/. GET /seen is what came since the last time: lines of a path and a value.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = []


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        given = self.headers.get("Authorization")
        status, body, path = 200, given or "-", self.path.partition("?")[0]
        if path == "/seen":
            body = "\n".join(seen)
            seen.clear()
        elif path.startswith("/v2/"):
            status = 401 if not given else 200 if path == "/v2/" else 404
        elif path.endswith("/config.json"):
            here = f"http://{self.headers['Host']}{path.removesuffix('/config.json')}"
            body = json.dumps({"dl": here, "api": here})
        elif path.endswith("/owners"):
            body = '{"users": []}'
        if given and path != "/seen":
            seen.append(f"{path} {given}")
        content = body.encode("latin-1")
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="made-up"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"server": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
