#!/usr/bin/env python3
"""Signs in to an IMAP server with the SASL initial response on standard input. usage: authenticate.py PORT MECHANISM

Sends the line as it is (RFC 4959), and prints the server's last word: OK, or NO.
"""

import socket
import sys

response = sys.stdin.read().removesuffix("\n")
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=30) as server:
    with server.makefile("rw", encoding="ascii", newline="\r\n") as lines:
        lines.readline()
        print(f"a AUTHENTICATE {sys.argv[2].upper()} {response}", end="\r\n", file=lines, flush=True)
        while not (line := lines.readline()).startswith("a "):
            if not line:
                sys.exit("the connection ended")
            if line.startswith("+"):
                # The server's reason, which is to be answered (RFC 7628, section 3.2.3).
                print("AQ==", end="\r\n", file=lines, flush=True)
print(line.split()[1])
