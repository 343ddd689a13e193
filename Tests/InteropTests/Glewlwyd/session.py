"""A client of the server that is not acct: what happens before acct, or behind its back."""
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

client = "acct-cli"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Session:
    """Talks to the endpoints of an issuer, with proofs of one key."""

    def __init__(self, issuer, key):
        self.key = key
        self.nonce = None
        self.metadata = json.load(opener.open(f"{issuer}/.well-known/openid-configuration"))

    def post(self, endpoint, fields, proves=True):
        """Sends a form with a proof, once more if only a nonce was missing.

        Returns the status and the body.
        """
        status, body = self.post_once(endpoint, fields, proves)
        if status == 400 and b"use_dpop_nonce" in body:
            status, body = self.post_once(endpoint, fields, proves)
        return status, body

    def post_once(self, endpoint, fields, proves):
        url = self.metadata[endpoint]
        proof = {"DPoP": self.key.proof("POST", url, self.nonce)} if proves else {}
        data = urllib.parse.urlencode({"client_id": client, **fields}).encode()
        try:
            answer = opener.open(urllib.request.Request(url, data=data, headers=proof))
        except urllib.error.HTTPError as error:
            answer = error
        self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
        return answer.status, answer.read()

    def granted(self, endpoint, fields):
        """The same where anything but a grant ends the script."""
        status, body = self.post(endpoint, fields)
        if status not in (200, 201):
            sys.exit(f"{endpoint}: {status} {body.decode()}")
        return json.loads(body)

    def spend(self, refresh_token):
        """Uses a refresh token up; returns the status and the body."""
        fields = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return self.post("token_endpoint", fields)
