#!/usr/bin/env python3
"""Plays the browser, and alice in front of it: signs her in, and says yes to whatever is asked.

usage: browser.py ADDRESS

ADDRESS is an authorization request, whose callback is then visited as a browser would, or the
page of a device's code. Made to be acct's $BROWSER: it needs nothing but Python itself.
"""
import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Hands redirects over instead of following them: the last one holds the code."""

    def redirect_request(self, *_):
        return None


class Browser:
    """A browser that has not been used to sign in before."""

    def __init__(self):
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            KeepRedirects,
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        )

    def send(self, method, url, value=None):
        """Makes a request, and returns where it leads to, if anywhere."""
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(
            url, method=method, data=data, headers={"Content-Type": "application/json"}
        )
        try:
            return self.opener.open(request).headers.get("Location")
        except urllib.error.HTTPError as answer:
            if answer.code == 302:
                return answer.headers["Location"]
            sys.exit(f"{method} {url}: {answer.code} {answer.read().decode()}")

    def consent(self, address):
        """Signs alice in and lets the client have what it asks for.

        Returns where the server sends her in the end.
        """
        parts = urllib.parse.urlsplit(address)
        api = f"{parts.scheme}://{parts.netloc}/api"
        # To the page where she would type her name; its script does what follows here.
        asked = query(self.send("GET", address))
        self.send("POST", f"{api}/auth/", {"username": "alice", "password": "alicepassword"})
        self.send("PUT", f"{api}/auth/grant/{asked['client_id']}", {"scope": asked["scope"]})
        return self.send("GET", f"{address}&g_continue")


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


if __name__ == "__main__":
    browser, address = Browser(), sys.argv[1]
    end = browser.consent(address)
    # A device's page ends at the server's own; a sign-in's end is the client's callback.
    if urllib.parse.urlsplit(end).netloc != urllib.parse.urlsplit(address).netloc:
        browser.send("GET", end)
