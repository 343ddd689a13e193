#!/usr/bin/env python3
"""Plays the browser, and alice in front of it: signs her in at the test's Doorkeeper, and presses "Authorize".

usage: browser.py ADDRESS

ADDRESS is an authorization request, whose callback is then visited as a browser would. Made to be acct's $BROWSER: it
needs nothing but Python itself.
"""
import html.parser
import http.cookiejar
import sys
import urllib.error
import urllib.parse
import urllib.request


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them: the last one holds the code."""

    def redirect_request(self, *_):
        return None


class FirstForm(html.parser.HTMLParser):
    """Where the first form of a page goes, and what it sends unchanged."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.is_over = None, {}, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        elif tag == "input" and not self.is_over and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes.get("value") or ""

    def handle_endtag(self, tag):
        self.is_over = self.is_over or tag == "form"


opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    KeepRedirects,
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def visit(url, fields=None):
    """Makes a request, and returns where it leads to, if anywhere, and the page."""
    data = None if fields is None else urllib.parse.urlencode(fields).encode()
    try:
        answer = opener.open(urllib.request.Request(url, data=data))
    except urllib.error.HTTPError as error:
        answer = error
    page = answer.read().decode()
    if answer.status >= 400:
        sys.exit(f"{url}: {answer.status} {page}")
    target = answer.headers.get("Location")
    return (urllib.parse.urljoin(url, target) if target else None), page


def send(url, page, **more):
    form = FirstForm(page)
    return visit(urllib.parse.urljoin(url, form.action), {**form.fields, **more})


address = sys.argv[1]
sign_in, _ = visit(address)
_, page = visit(sign_in)
send(sign_in, page, name="alice", password="alicepassword")
callback, page = visit(address)
# Without the page where she consents, the request was refused, or consented to already.
if callback is None:
    callback, _ = send(address, page)
visit(callback)
