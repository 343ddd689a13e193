#!/usr/bin/env python3
"""Plays the browser, and alice in front of it, at the test's NanoIDP: its page of a sign-in, or that of a device.

usage: browser.py ADDRESS

ADDRESS is an authorization request, whose callback is visited in the end, or the page of a device's code. Made to be
acct's $BROWSER: it needs nothing but Python itself.
"""
import html.parser
import http.cookiejar
import sys
import urllib.error
import urllib.parse
import urllib.request


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them."""

    def redirect_request(self, *_):
        return None


class Hidden(html.parser.HTMLParser):
    """What a page's form sends unchanged."""

    def __init__(self, page):
        super().__init__()
        self.fields = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "input" and (attributes.get("type") == "hidden" or attributes.get("value")):
            self.fields[attributes["name"]] = attributes.get("value", "")


opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    KeepRedirects,
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def visit(url, fields=None):
    """Makes a request, and returns where it leads to, if anywhere, and the page."""
    data = None if fields is None else urllib.parse.urlencode(fields).encode()
    try:
        answer = opener.open(url, data)
    except urllib.error.HTTPError as error:
        answer = error
    page = answer.read().decode()
    if answer.status >= 400:
        sys.exit(f"{url}: {answer.status} {page}")
    return answer.headers.get("Location"), page


address = sys.argv[1]
_, page = visit(address)
target, page = visit(address, {**Hidden(page).fields, "username": "alice", "password": "alicepassword"})
if target:
    visit(target)
elif "authorized" not in page.lower():
    sys.exit(f"{address}: {page}")
