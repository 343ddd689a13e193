"""What a job of GitHub Actions asks for its ID token, on this machine.

    actions_server.py TOKEN_FILE

It answers the request token `made-up-request-token` and an audience with marks of a query,
with the token of the file. It prints its address, and ends when its stdin closes.
"""

import http.server
import json
import os
import sys
import threading
import urllib.parse

token_file, = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        is_right = (self.headers.get("Authorization") == "bearer made-up-request-token"
                    and query == {"api-version": ["2.0"], "audience": ["https://as.example/?a=b&c"]})
        with open(token_file) as file:
            body = json.dumps({"count": 1, "value": file.read().strip()} if is_right else {"message": "no"}).encode()
        self.send_response(200 if is_right else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}/token?api-version=2.0"}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
os._exit(0)
