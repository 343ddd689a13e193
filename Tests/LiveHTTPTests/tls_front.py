"""Ends TLS before a server of the tests', on a free port of 127.0.0.1, which it prints.

usage: tls_front.py CERTIFICATE KEY NEWEST BACKEND

NEWEST is TLSv1, TLSv1_1 or TLSv1_3. A backend that resets its connection cuts this one as well: it ends
without a word of TLS. It all ends with standard input.
"""

import contextlib
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


def copy(source, sink):
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            sink.sendall(part)
        return True
    return False


def serve(connection):
    with contextlib.suppress(OSError):
        client = context.wrap_socket(connection, server_side=True)
        server = socket.create_connection(("127.0.0.1", int(backend)))
        threading.Thread(target=requests, args=(client, server), daemon=True).start()
        ended_well = copy(server, client)
        if ended_well:
            with contextlib.suppress(OSError):
                client.unwrap()
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        client.close()
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
