#!/usr/bin/env python3
"""A git server over http on loopback that takes a token as a password. usage: git_server.py FOLDER TOKEN

Serves the repositories below FOLDER by `git http-backend`, prints its port, and ends with standard input. TOKEN is
the one token that it takes, or the address of a resource: then it takes those that the resource does (RFC 6750).
"""

import base64
import http.client
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

FOLDER, TOKEN = sys.argv[1:]


def is_taken(token):
    if not TOKEN.startswith("http:"):
        return token == TOKEN
    resource = urlsplit(TOKEN)
    connection = http.client.HTTPConnection(resource.netloc, timeout=30)
    connection.request("GET", resource.path, headers={"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status == 200


class Git(BaseHTTPRequestHandler):
    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name, _, password = self.credentials().partition(":")
        if not name or not is_taken(password):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        url = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": FOLDER, "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": url.path, "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "REMOTE_USER": name,
        }
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, stdout=subprocess.PIPE)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        self.send_response(int(dict(fields).get("Status", "200").split()[0]))
        for field in fields:
            self.send_header(*field)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def credentials(self):
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        return base64.b64decode(value).decode() if scheme == "Basic" else ""

    def log_message(self, *_):
        pass

    do_GET = do_POST = do


server = ThreadingHTTPServer(("127.0.0.1", 0), Git)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
