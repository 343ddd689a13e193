#!/usr/bin/env python3
"""A registry of cargo's on loopback, whose index names another server for its crates. usage: cargo_registry.py FOLDER

Serves one crate, `notes`, by a sparse index at INDEX/sparse/ and by a git index at INDEX/git, and downloads at
ELSEWHERE alone. Both servers refuse a request without an `Authorization`, but for the git index, which anybody can
read. Prints {"index": ORIGIN, "elsewhere": ORIGIN} when it serves, and ends with its standard input. GET /seen at
either lists the values of `Authorization` that came to it. FOLDER is empty: the git index is made there.
"""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(sys.argv[1])
MANIFEST = b'[package]\nname = "notes"\nversion = "1.0.0"\nedition = "2021"\n'


def crate():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in [("Cargo.toml", MANIFEST), ("src/lib.rs", b"")]:
            entry = tarfile.TarInfo(f"notes-1.0.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return content.getvalue()


CRATE = crate()
ENTRY = json.dumps({
    "name": "notes", "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(CRATE).hexdigest(), "features": {},
    "yanked": False,
}) + "\n"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.pages, self.seen = {}, []

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, given = self.path.partition("?")[0], self.headers.get_all("Authorization") or []
        self.server.seen += given
        status, body = 200, self.server.pages.get(path)
        if path == "/seen":
            body = json.dumps(self.server.seen).encode()
        elif path.startswith("/git/"):
            file = FOLDER / "index.git" / path.removeprefix("/git/")
            body = file.read_bytes() if file.is_file() else None
        elif not given:
            status, body = 401, b""
        if body is None:
            status, body = 404, b""
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Cargo")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


index, elsewhere = Server(), Server()
configuration = json.dumps({"dl": f"{elsewhere.origin}/crates", "api": elsewhere.origin, "auth-required": True})
index.pages = {"/sparse/config.json": configuration.encode(), "/sparse/no/te/notes": ENTRY.encode()}
elsewhere.pages = {"/crates/notes/1.0.0/download": CRATE}

# The index that git fetches: a bare repository, as files.
work = FOLDER / "work"
(work / "no/te").mkdir(parents=True)
(work / "config.json").write_text(configuration)
(work / "no/te/notes").write_text(ENTRY)
PERSON = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"]
for words in [
    ["init", "-q", "--initial-branch=main"], ["add", "."], [*PERSON, "commit", "-q", "-m", "index"],
    ["clone", "-q", "--bare", ".", "../index.git"], ["-C", "../index.git", "update-server-info"],
]:
    subprocess.run(["git", *words], cwd=work, check=True)

for server in (index, elsewhere):
    server.start()
print(json.dumps({"index": index.origin, "elsewhere": elsewhere.origin}), flush=True)
while sys.stdin.buffer.read(4096):
    pass
