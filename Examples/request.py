#!/usr/bin/env python3
"""A request as the account that acts here, with the standard library alone. usage: request.py URL [METHOD]"""

import json
import subprocess
import sys
import urllib.error
import urllib.request


def header_fields(method, url):
    """The header fields of one request: a proof is for one method and one URL, once."""
    done = subprocess.run(["acct", "header", "--json", "--no-input", method, url], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(done.returncode)  # 4: sign in again; 10: a retry may help. acct has said which and why.
    return {field["name"]: field["value"] for field in json.loads(done.stdout)["headers"]}


def observe(url, answer):
    """Lets acct learn nonces and limits from an answer."""
    subprocess.run(["acct", "observe", "--quiet", url], input=str(answer.headers).encode())


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """urllib would take the credential along to wherever a redirect points."""

    def redirect_request(self, *_):
        return None


def request(method, url, tries=2):
    """The answer, of whatever status; asks again when the server wanted a nonce that it had not given yet."""
    opener = urllib.request.build_opener(NoRedirects)
    try:
        answer = opener.open(urllib.request.Request(url, method=method, headers=header_fields(method, url)))
    except urllib.error.HTTPError as error:
        answer = error
    observe(url, answer)
    wants_nonce = "use_dpop_nonce" in answer.headers.get("WWW-Authenticate", "")
    return request(method, url, tries - 1) if wants_nonce and tries > 1 else answer


if __name__ == "__main__":
    with request(sys.argv[2] if len(sys.argv) > 2 else "GET", sys.argv[1]) as answer:
        sys.stdout.buffer.write(answer.read())
        sys.exit(0 if answer.status < 400 else 1)
