#!/usr/bin/env python3
"""A WebDAV server on loopback with one file, for one bearer token. usage: webdav_server.py TOKEN

Prints {"origin": ORIGIN} when it serves, and ends with its standard input. It lists (PROPFIND, RFC 4918) and reads;
all else is refused, and so is every request that does not show the token in the Authorization header.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = sys.argv[1]
NOTE = b"a note of alice's\n"
ANSWER = '<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">{}</D:multistatus>'
ENTRY = ("<D:response><D:href>{}</D:href><D:propstat><D:prop>{}</D:prop>"
         "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")
CHANGED = "<D:getlastmodified>Sun, 22 Nov 2026 12:00:00 GMT</D:getlastmodified>"
FOLDER = ENTRY.format("/dav/", f"<D:resourcetype><D:collection/></D:resourcetype>{CHANGED}")
FILE = ENTRY.format("/dav/note.txt", "<D:resourcetype/><D:getcontentlength>"
                    f"{len(NOTE)}</D:getcontentlength>{CHANGED}")


class Files(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, body, fields = self.answer()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self):
        if self.headers.get_all("Authorization") != [f"Bearer {TOKEN}"]:
            return 401, b"", {"WWW-Authenticate": 'Bearer realm="files", error="invalid_token"'}
        if self.command == "PROPFIND":
            entries = {"/dav/": FOLDER + FILE * (self.headers.get("Depth") != "0"), "/dav/note.txt": FILE}
            if self.path in entries:
                return 207, ANSWER.format(entries[self.path]).encode(), {"Content-Type": "application/xml"}
        if self.command == "GET" and self.path == "/dav/note.txt":
            return 200, NOTE, {"Content-Type": "text/plain"}
        return 404, b"", {}

    def log_message(self, *_):
        pass

    do_GET = do_PROPFIND = do_PUT = do_DELETE = do_MKCOL = do


server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"origin": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
