"""Ends TLS before a server of the tests', on a free port of 127.0.0.1, which it prints.

usage: tls_front.py CERTIFICATE KEY NEWEST BACKEND [optional|required AUTHORITIES]

With authorities it asks clients for a certificate of theirs, and says whose came: the backend's connection begins
with the line "CLIENT THUMBPRINT", and an empty one.

NEWEST is TLSv1, TLSv1_1 or TLSv1_3. A backend that resets its connection cuts this one as well: it ends
without a word of TLS. It all ends with standard input.
"""

import base64
import contextlib
import hashlib
import select
import socket
import ssl
import sys
import threading

certificate, key, newest, backend, *clients = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
# As old as the tests want it, whatever the system's policy is.
context.set_ciphers("ALL:@SECLEVEL=0")
context.minimum_version = ssl.TLSVersion.TLSv1
context.maximum_version = ssl.TLSVersion[newest]
if clients:
    context.verify_mode = {"optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}[clients[0]]
    context.load_verify_locations(clients[1])


class Client:
    """A client's connection, for one thread that reads and one that writes: OpenSSL's is not for two at a time."""

    def __init__(self, connection):
        self.connection = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        try:
            self.connection.do_handshake()
        except OSError:
            # A request that is on its way already would have the alert lost with the connection.
            socket.socket.shutdown(self.connection, socket.SHUT_WR)
            while socket.socket.recv(self.connection, 65536):
                pass
            self.connection.close()
            raise
        own = self.connection.getpeercert(binary_form=True) or b""
        self.thumbprint = base64.urlsafe_b64encode(hashlib.sha256(own).digest()).decode().rstrip("=") if own else "-"
        self.connection.setblocking(False)
        self.lock = threading.Lock()

    def recv(self, count):
        while True:
            with self.lock, contextlib.suppress(ssl.SSLWantReadError):
                return self.connection.recv(count)
            select.select([self.connection], [], [])

    def sendall(self, part):
        rest = memoryview(part)
        while rest:
            with self.lock, contextlib.suppress(ssl.SSLWantWriteError):
                rest = rest[self.connection.send(rest):]
                continue
            select.select([], [self.connection], [])

    def end(self, ended_well):
        with self.lock, contextlib.suppress(OSError):
            self.connection.setblocking(True)
            if ended_well:
                self.connection.unwrap()
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def copy(source, sink):
    # A value error: the other thread has closed the connection.
    with contextlib.suppress(OSError, ValueError):
        while part := source.recv(65536):
            sink.sendall(part)
        return True
    return False


def serve(connection):
    with contextlib.suppress(OSError):
        client = Client(connection)
        server = socket.create_connection(("127.0.0.1", int(backend)))
        if clients:
            server.sendall(f"CLIENT {client.thumbprint}\r\n\r\n".encode())
        threading.Thread(target=requests, args=(client, server), daemon=True).start()
        client.end(copy(server, client))
        return
    connection.close()


def requests(client, server):
    copy(client, server)
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_WR)


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def accept():
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
