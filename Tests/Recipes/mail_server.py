#!/usr/bin/env python3
"""Dovecot, an IMAP server, with OAuth tokens alone. usage: mail_server.py FOLDER PORT TOKEN

Everything of Dovecot's is in FOLDER; it serves alice@example.com at PORT of 127.0.0.1, without TLS, and asks this
program about each token that a client shows. Prints a line when it serves, and ends with its standard input.

Dovecot runs without root's rights: as `nobody` if root starts this, else as who starts it.
"""

import grp
import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

USER = "alice@example.com"
CONFIGURATION = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
ssl = no
disable_plaintext_auth = no
default_internal_user = {user}
default_login_user = {user}
default_internal_group = {group}
first_valid_uid = 1
mail_location = maildir:{folder}/mail
auth_mechanisms = xoauth2 oauthbearer
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/home
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service stats {{
  chroot =
}}
"""
OAUTH = """
tokeninfo_url = http://127.0.0.1:{port}/token?access_token=
username_attribute = email
active_attribute = active
active_value = yes
"""
MESSAGE = "From: bob@example.com\nTo: alice@example.com\nSubject: a note\n\nA note of bob's.\n"


class Tokens(BaseHTTPRequestHandler):
    """Says who a token belongs to."""

    def do_GET(self):
        shown = parse_qs(urlsplit(self.path).query).get("access_token", [""])[0]
        said = {"active": "yes", "email": USER} if shown == TOKEN else {"active": "no"}
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def is_served():
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", int(PORT))) == 0


def prepare(tokens, user, group):
    """Writes what Dovecot reads, all of it its user's."""
    names = {"folder": FOLDER, "port": PORT, "user": user.pw_name, "group": group}
    for folder in ("run", "home", "mail", "mail/new", "mail/cur", "mail/tmp"):
        os.mkdir(f"{FOLDER}/{folder}", 0o700)
    files = {
        "dovecot.conf": CONFIGURATION.format(**names), "oauth2.conf": OAUTH.format(port=tokens.server_address[1]),
        "mail/new/1.bob.example": MESSAGE, "log": "",
    }
    for name, text in files.items():
        with open(f"{FOLDER}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    if os.geteuid() == 0:
        # Another user's Dovecot has to get to what is its own.
        os.chmod(FOLDER, 0o711)
        for folder, _, names in os.walk(FOLDER):
            for path in [f"{folder}/{name}" for name in names] + [folder] * (folder != FOLDER):
                os.chown(path, user.pw_uid, user.pw_gid)


def main():
    tokens = ThreadingHTTPServer(("127.0.0.1", 0), Tokens)
    tokens.daemon_threads = True
    threading.Thread(target=tokens.serve_forever, daemon=True).start()
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    prepare(tokens, user, grp.getgrgid(user.pw_gid).gr_name)
    rights = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    nothing = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dovecot = subprocess.Popen(["/usr/sbin/dovecot", "-F", "-c", f"{FOLDER}/dovecot.conf"], start_new_session=True,
                               **nothing, **rights)
    while not is_served():
        if dovecot.poll() is not None:
            sys.exit(open(f"{FOLDER}/log", encoding="utf-8").read())
        time.sleep(0.01)
    print(json.dumps({"user": USER}), flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    # Not SIGTERM: Dovecot would wait half a minute for a client that still signs in.
    os.killpg(dovecot.pid, signal.SIGKILL)
    dovecot.wait()


FOLDER, PORT, TOKEN = sys.argv[1:]
main()
