#!/usr/bin/env python3
"""A client of the signing proxy that sends bytes as they are.

    raw_client.py PLACE [IDLE]

PLACE is the proxy's socket, or the address that it prints for a port. Sends standard input on one
connection and prints all that comes back until the other end closes. Before that it opens IDLE more
connections on which it says nothing, and keeps them open.
"""

import resource
import socket
import sys
from urllib.parse import urlsplit


def connect(place):
    if place.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(place)
        return connection
    url = urlsplit(place)
    return socket.create_connection((url.hostname, url.port), 60)


place, idle = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
connections = [connect(place) for _ in range(idle)]
connection = connect(place)
connection.sendall(sys.stdin.buffer.read())
while part := connection.recv(1 << 16):
    sys.stdout.buffer.write(part)
