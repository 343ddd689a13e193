"""Ends TLS before a server of the tests', on a free port of 127.0.0.1, which it prints.

usage: tls_front.py CERTIFICATE KEY NEWEST BACKEND

NEWEST is TLSv1, TLSv1_1 or TLSv1_3. A backend that resets its connection cuts this one as well: it ends
without a word of TLS. It all ends with standard input.
"""

import contextlib
import select
import socket
import ssl
import sys
import threading

certificate, key, newest, backend = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
# As old as the tests want it, whatever the system's policy is.
context.set_ciphers("ALL:@SECLEVEL=0")
context.minimum_version = ssl.TLSVersion.TLSv1
context.maximum_version = ssl.TLSVersion[newest]


class Client:
    """A client's connection, for one thread that reads and one that writes: OpenSSL's is not for two at a time."""

    def __init__(self, connection):
        self.connection = context.wrap_socket(connection, server_side=True)
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
