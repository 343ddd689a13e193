"""As little of a Kubernetes API server as kubectl needs to read an address, over TLS.

    kube_server.py CERTIFICATE KEY TOKEN_FILE

It answers `ok` to the bearer token of the file, and 401 to anything else. It prints its address, and ends when its
stdin closes.
"""

import http.server
import json
import os
import ssl
import sys
import threading

certificate, key, token_file = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        with open(token_file) as file:
            is_known = self.headers.get("Authorization") == f"Bearer {file.read().strip()}"
        body = b"ok" if is_known else json.dumps({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": 401,
            "message": "Unauthorized"}).encode()
        self.send_response(200 if is_known else 401)
        self.send_header("Content-Type", "text/plain" if is_known else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"server": f"https://localhost:{server.server_port}"}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
os._exit(0)
