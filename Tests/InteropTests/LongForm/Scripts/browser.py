#!/usr/bin/env python3
"""Plays the browser, and alice in front of it: enters her name and password wherever a page asks for them, and consents.

usage: browser.py ADDRESS

ADDRESS is an authorization request, whose callback is visited in the end, or the page of a device's code, where the last
page is one without a form. Made to be acct's $BROWSER: it needs nothing but Python itself.
"""
import html.parser
import http.cookiejar
import sys
import urllib.error
import urllib.parse
import urllib.request

PASSWORD = "alicepassword"
NAMES = {"login", "user", "username"}
# What a button says, by its value or by its name, that lets the client in.
CONSENT = {"accept", "allow", "authorize"}


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them."""

    def redirect_request(self, *_):
        return None


class FirstForm(html.parser.HTMLParser):
    """The first form of a page: where it goes, how, and what alice sends with it."""

    def __init__(self, page):
        super().__init__()
        self.action, self.method, self.fields, self.is_over = None, "get", [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action, self.method = attributes.get("action") or "", attributes.get("method", "get").lower()
        elif tag in ("input", "button") and self.action is not None and not self.is_over:
            self.add(attributes.get("name"), attributes.get("type", "submit" if tag == "button" else "text"), attributes)

    def handle_endtag(self, tag):
        self.is_over = self.is_over or (tag == "form" and self.action is not None)

    def add(self, name, kind, attributes):
        value = attributes.get("value") or ""
        if name is None:
            return
        if kind == "password":
            value = PASSWORD
        elif name in NAMES:
            value = "alice"
        elif kind == "submit" and not CONSENT & {value.lower(), name.lower()}:
            return
        elif kind in ("checkbox", "radio") and "checked" not in attributes:
            return
        self.fields.append((name, value))


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


address = sys.argv[1]
origin = urllib.parse.urlsplit(address).netloc
# A page that comes again and again is one that alice cannot answer.
for _ in range(20):
    target, page = visit(address)
    while target is None:
        form = FirstForm(page)
        if form.action is None:
            sys.exit(0)
        address = urllib.parse.urljoin(address, form.action) if form.action else address
        target, page = visit(address, form.fields)
    if urllib.parse.urlsplit(target).netloc != origin:
        visit(target)
        sys.exit(0)
    address = target
sys.exit(f"{address}: {page}")
