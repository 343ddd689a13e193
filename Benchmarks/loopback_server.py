"""A loopback server that is never the slower end: bodies of any size, from the kernel to the kernel.

usage: loopback_server.py

prints its port, and ends with standard input. `GET /BYTES` is answered with so many bytes, by
sendfile(2) from a file without a name; any other method reads its body, framed by its length or in
chunks, and is answered with the number of bytes.
"""

import os
import re
import socket
import sys
import threading

BLOCK = 1 << 24
zeros = os.memfd_create("zeros")
os.ftruncate(zeros, BLOCK)
# Touched, so that every page is there.
os.pwrite(zeros, b"x" * BLOCK, 0)


def head(connection):
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        part = connection.recv(1 << 16)
        if not part:
            return None
        data += part
    return data[:end].decode("latin-1"), data[end + 4:]


def send(connection, count):
    connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {count}\r\n\r\n".encode())
    while count:
        sent = os.sendfile(connection.fileno(), zeros, 0, min(count, BLOCK))
        count -= sent


def take_length(connection, count, rest, buffer):
    left = count - len(rest)
    while left > 0:
        got = connection.recv_into(buffer, min(left, len(buffer)))
        if not got:
            return None
        left -= got
    return count


def take_chunks(connection, rest, buffer):
    total = 0
    while True:
        while b"\r\n" not in rest:
            rest += connection.recv(64)
        line, rest = rest.split(b"\r\n", 1)
        size = int(line, 16)
        need = size + 2 - len(rest)
        if need > 0:
            if take_length(connection, need, b"", buffer) is None:
                return None
            rest = b""
        else:
            rest = rest[size + 2:]
        if size == 0:
            return total
        total += size


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = bytearray(1 << 20)
    with connection:
        while (request := head(connection)) is not None:
            lines, rest = request
            if lines.startswith("GET "):
                send(connection, int(lines.split()[1].strip("/") or 0))
                continue
            if re.search(r"(?im)^expect: *100-continue", lines):
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            length = re.search(r"(?im)^content-length: *(\d+)", lines)
            if length:
                count = take_length(connection, int(length[1]), rest, buffer)
            else:
                count = take_chunks(connection, rest, buffer)
            body = f"{count}\n".encode()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


def accept(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, args=(listener,), daemon=True).start()
sys.stdin.read()
