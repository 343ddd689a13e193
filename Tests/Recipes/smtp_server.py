#!/usr/bin/env python3
"""An SMTP server on loopback that takes mail of one user with one token. usage: smtp_server.py USER TOKEN

Prints its port, then a line of JSON for each message that it takes: {"from", "to", "mechanism"}. It ends with its
standard input. Without TLS; the mechanisms are OAUTHBEARER (RFC 7628) and XOAUTH2.
"""

import base64
import json
import re
import socketserver
import sys
import threading

USER, TOKEN = sys.argv[1:]
RESPONSES = {
    "XOAUTH2": re.compile(rf"user={re.escape(USER)}\x01auth=Bearer {re.escape(TOKEN)}\x01\x01"),
    "OAUTHBEARER": re.compile(rf"n,a={re.escape(USER)},\x01(host=127\.0\.0\.1\x01)?(port=\d+\x01)?"
                              rf"auth=Bearer {re.escape(TOKEN)}\x01\x01"),
}


class Mail(socketserver.StreamRequestHandler):
    def handle(self):
        self.say("220 mail.example ESMTP")
        mechanism, envelope = "", {}
        while line := self.rfile.readline().decode("ascii").rstrip("\r\n"):
            verb, _, rest = line.partition(" ")
            match verb.upper():
                case "EHLO":
                    self.say("250-mail.example\r\n250 AUTH XOAUTH2 OAUTHBEARER")
                case "AUTH":
                    mechanism = self.signed_in(*rest.split())
                case "MAIL" | "RCPT" if not mechanism:
                    self.say("530 5.7.0 sign in first")
                case "MAIL" | "RCPT":
                    envelope["from" if verb == "MAIL" else "to"] = rest.split(":")[1].strip("<>").split(">")[0]
                    self.say("250 OK")
                case "DATA" if len(envelope) == 2:
                    self.say("354 go on")
                    while self.rfile.readline() not in (b".\r\n", b""):
                        pass
                    print(json.dumps({**envelope, "mechanism": mechanism}), flush=True)
                    self.say("250 OK")
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("503 5.5.1 not now")

    def signed_in(self, mechanism, response=""):
        """The mechanism, if its response is right."""
        if not response:
            self.say("334 ")
            response = self.rfile.readline().decode("ascii").rstrip("\r\n")
        text = base64.b64decode(response, validate=True).decode("ascii")
        pattern = RESPONSES.get(mechanism.upper())
        if pattern and pattern.fullmatch(text):
            self.say("235 2.7.0 welcome")
            return mechanism.upper()
        self.say(f"334 {base64.b64encode(json.dumps({'status': 'invalid_token'}).encode()).decode()}")
        self.rfile.readline()
        self.say("535 5.7.8 no")
        return ""

    def say(self, line):
        self.wfile.write(f"{line}\r\n".encode("ascii"))


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
while sys.stdin.buffer.read(4096):
    pass
