#!/usr/bin/env python3
"""A package index on loopback with one package, `notes`, for one user and password. usage: index_server.py USER PASSWORD

Prints {"origin": ORIGIN} when it serves, and ends with its standard input. It speaks the simple repository API
(PEP 503), and refuses every request without that user and password (Basic, RFC 7617).
"""

import base64
import hashlib
import io
import json
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CREDENTIALS = base64.b64encode(":".join(sys.argv[1:3]).encode()).decode()
NAME = "notes-1.0-py3-none-any.whl"


def wheel():
    """The smallest package that can be installed (PEP 427)."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        about = "notes-1.0.dist-info"
        archive.writestr("notes.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return content.getvalue()


WHEEL = wheel()
LINK = f'<!DOCTYPE html><a href="/files/{NAME}#sha256={hashlib.sha256(WHEEL).hexdigest()}">{NAME}</a>'
PAGES = {"/simple/notes/": (LINK.encode(), "text/html"), f"/files/{NAME}": (WHEEL, "application/zip")}


class Index(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, (body, kind) = 200, PAGES.get(self.path, (b"", "text/plain"))
        if self.headers.get_all("Authorization") != [f"Basic {CREDENTIALS}"]:
            status, body = 401, b""
        elif not body:
            status = 404
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="packages", charset="UTF-8"')
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"origin": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
