"""Clients with a key: what authenticates them, and what their assertions are refused for."""

import secrets
import time

from .mini_client import CLIENT, Key, StrictServerTest

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class Assertions(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.key = Key()
        self.settings(clients={CLIENT: {"redirect_uris": []}, "keyed": {"redirect_uris": [], "key": self.key.jwk}})

    def assertion(self, alg: str = "ES256", **changes: object) -> str:
        now = int(time.time())
        claims = {"iss": "keyed", "sub": "keyed", "aud": self.client.issuer,
                  "jti": secrets.token_urlsafe(16), "iat": now, "exp": now + 120, **changes}
        return self.key.sign({"alg": alg, "typ": "JWT"}, {name: value for name, value in claims.items() if value})

    def credentials(self, assertion: str, **changes: str):
        return self.client.post("/token", {"grant_type": "client_credentials", "client_assertion_type": TYPE,
                                           "client_assertion": assertion, "client_id": "keyed", **changes})

    def test_an_assertion_authenticates_once(self):
        # Once each: the nonce of a proof is known by then.
        self.client.post("/token", {"grant_type": "client_credentials", "client_id": CLIENT})
        assertion = self.assertion()
        self.assertEqual(self.credentials(assertion).status, 200)
        self.assertError(self.credentials(assertion), "invalid_client", 401, says="used before")
        self.assertEqual(self.counts()["client_credentials"], 1)

    def test_an_assertion_is_a_grant(self):
        self.client.post("/token", {"grant_type": "client_credentials", "client_id": CLIENT})
        token = f"{self.client.issuer}/token"
        answer = self.client.post("/token", {"grant_type": BEARER, "assertion": self.assertion(aud=token)})
        self.assertEqual(answer.status, 200)
        self.assertNotIn("refresh_token", answer.json)
        self.assertEqual(self.counts()["jwt_bearer"], 1)
        wrong = self.client.post("/token", {"grant_type": BEARER, "assertion": self.assertion(aud="elsewhere")})
        self.assertError(wrong, "invalid_grant", says="aud")
        other = self.client.post("/token", {"grant_type": BEARER, "assertion": self.assertion(aud=token),
                                            "client_id": CLIENT})
        self.assertError(other, "invalid_request", says="another client")

    def test_what_is_refused(self):
        now = int(time.time())
        for changes, says in [({"aud": f"{self.client.issuer}/token"}, "aud"), ({"sub": "another"}, "sub"),
                              ({"jti": None}, "jti"), ({"iat": now - 600}, "iat"), ({"exp": now + 4000}, "exp"),
                              ({"iss": CLIENT}, "iss"), ({"alg": "RS256"}, "alg")]:
            with self.subTest(says):
                self.assertError(self.credentials(self.assertion(**changes)), "invalid_client", 401, says=says)
        unnamed = {"grant_type": "client_credentials", "client_assertion_type": TYPE}
        self.assertError(self.client.post("/token", {**unnamed, "client_assertion": self.assertion()}),
                         "invalid_client", 401)
        other = self.key
        self.key = Key()
        self.assertError(self.credentials(self.assertion()), "invalid_client", 401, says="signature")
        self.key = other
        self.assertError(self.credentials(self.assertion(), client_secret="s"), "invalid_client", 401)
        self.assertError(self.credentials(self.assertion(), client_assertion_type="x"), "invalid_client", 401)

    def test_a_server_may_want_its_token_endpoint(self):
        self.settings(assertion_audience="token")
        self.client.post("/token", {"grant_type": "client_credentials", "client_id": CLIENT})
        self.assertError(self.credentials(self.assertion()), "invalid_client", 401, says="aud")
        token = f"{self.client.issuer}/token"
        self.assertEqual(self.credentials(self.assertion(aud=token)).status, 200)
