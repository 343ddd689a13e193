#!/usr/bin/env python3
"""Plays the browser, and alice in front of it, at the test's MCP authorization server.

usage: browser.py ADDRESS

ADDRESS is an authorization request, whose callback is visited in the end. Made to be acct's $BROWSER: it needs nothing
but Python itself.
"""
import sys
import urllib.error
import urllib.request


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), KeepRedirects)


def visit(url, data=None):
    """Makes a request, and returns where it leads to, if anywhere."""
    try:
        answer = opener.open(url, data)
    except urllib.error.HTTPError as error:
        answer = error
    if answer.status >= 400:
        sys.exit(f"{url}: {answer.status} {answer.read().decode()}")
    return answer.headers.get("Location")


page = visit(sys.argv[1])
visit(visit(page, b"password=alicepassword"))
