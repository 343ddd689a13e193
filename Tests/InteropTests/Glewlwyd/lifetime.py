#!/usr/bin/env python3
"""Changes how long the access tokens of a configured Glewlwyd last, from now on; sessions go on.

usage: lifetime.py PORT SECONDS
"""
import http.cookiejar
import json
import sys
import urllib.request

port, seconds = sys.argv[1:]
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def api(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{port}/api{path}"
    headers = {"Content-Type": "application/json"}
    answer = opener.open(urllib.request.Request(url, method=method, data=data, headers=headers))
    text = answer.read()
    return json.loads(text) if text.strip() else None


api("POST", "/auth/", {"username": "admin", "password": "password"})
plugin = api("GET", "/mod/plugin/oidc")
plugin["parameters"]["access-token-duration"] = int(seconds)
api("PUT", "/mod/plugin/oidc", plugin)
# Takes effect with the next start of the plugin.
api("PUT", "/mod/plugin/oidc/reset")
