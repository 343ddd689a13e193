#!/usr/bin/env python3
"""The server of one handle, which says over TLS whose it is (https://atproto.com/specs/handle#handle-resolution).

    handle_server.py FOLDER HANDLE BODY [CERTIFIED [MOVED]]

A name of a test has no address of its own, so this is a proxy as well: it answers `CONNECT HANDLE:443`
itself, with a certificate for CERTIFIED (HANDLE), which it writes to FOLDER/cert.pem. With MOVED the well-known
address redirects there, and BODY is there. Its first line is its port. Every request goes to FOLDER/asked, a
line each. It ends with standard input.
"""

import os
import socket
import ssl
import subprocess
import sys
import threading

folder, handle, body = sys.argv[1:4]
certified = sys.argv[4] if len(sys.argv) > 4 else handle
moved = sys.argv[5] if len(sys.argv) > 5 else ""
cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
     "-subj", f"/CN={certified}", "-addext", f"subjectAltName=DNS:{certified}", "-keyout", key, "-out", cert],
    check=True, capture_output=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)


def note(line):
    with open(os.path.join(folder, "asked"), "a", encoding="utf-8") as file:
        file.write(line + "\n")


def head(connection):
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(4096)
        if not part:
            return ""
        text += part
    return text.decode("latin-1").split("\r\n")[0]


def serve(connection):
    with connection:
        asked = head(connection)
        note(asked)
        if asked != f"CONNECT {handle}:443 HTTP/1.1":
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            with context.wrap_socket(connection, server_side=True) as secured:
                wanted = head(secured)
                note(wanted)
                content = body.encode()
                if moved and wanted.startswith("GET /.well-known/atproto-did "):
                    secured.sendall(b"HTTP/1.1 301 Moved Permanently\r\nContent-Type: text/plain\r\n"
                                    b"Connection: close\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n" % moved.encode())
                    return
                secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                                b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        except OSError:
            note("no trust")


def accept(listener):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, args=(listener,), daemon=True).start()
sys.stdin.read()
