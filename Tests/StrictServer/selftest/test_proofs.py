"""Each rule for DPoP proofs, at the token endpoint and at the resource server."""

import time

from .mini_client import Key, StrictServerTest, b64, part, send


class ProofRules(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.settings(as_nonce=False, rs_nonce=False)
        self.session = self.issue()
        self.url = self.client.issuer + "/token"

    def refused(self, says: str, **how: object) -> None:
        proof = self.client.proof("POST", self.url, **how)
        answer = self.client.refresh(self.session["refresh_token"], proof=proof)
        self.assertError(answer, "invalid_dpop_proof", says=says)
        self.assertEqual(self.counts()["refreshes"], 0)

    def test_a_right_proof_passes_and_its_second_use_does_not(self):
        proof = self.client.proof("POST", self.url)
        answer = self.client.refresh(self.session["refresh_token"], proof=proof)
        self.assertEqual(answer.status, 200)
        again = self.client.refresh(answer.json["refresh_token"], proof=proof)
        self.assertError(again, "invalid_dpop_proof", says="jti was used")

    def test_a_jti_is_spent_across_origins(self):
        self.client.refresh(self.session["refresh_token"], proof=self.client.proof("POST", self.url, jti="j" * 22))
        token = self.session["access_token"]
        proof = self.client.proof("GET", self.client.resource + "/resource", token, jti="j" * 22)
        self.assertError(self.client.get_resource(token, proof=proof), "invalid_dpop_proof", 401)

    def test_wrong_headers(self):
        self.refused("typ is not", header={"typ": "JWT"})
        self.refused("alg is not", header={"alg": "none"})
        self.refused("alg is not", header={"alg": "ES384"})
        self.refused("private key", header={"jwk": {**self.client.key.jwk, "d": b64(b"1" * 32)}})
        self.refused("exactly", header={"jwk": {**self.client.key.jwk, "kid": "1"}})
        self.refused("32 bytes", header={"jwk": {**self.client.key.jwk, "x": b64(b"1" * 31)}})
        self.refused("point", header={"jwk": {**self.client.key.jwk, "x": b64(b"1" * 32)}})
        self.refused("does not match", header={"jwk": Key().jwk})
        self.refused("typ, alg and jwk", header={"kid": "1"})

    def test_wrong_signatures_and_spellings(self):
        self.refused("64 bytes", der=True)
        right = self.client.proof("POST", self.url)
        head, claims, signature = right.split(".")
        doubled = b64(b'{"jti":"aaaaaaaaaaaaaaaaaaaaaa","jti":"bbbbbbbbbbbbbbbbbbbbbb"}')
        stray = right[:-1] + chr(ord(right[-1]) + 1)  # 64 bytes leave four bits over, which must be zero
        for wrong, says in [(right + "=", "base64url"), (stray, "stray bits"), (f"{head}.{claims}", "three segments"),
                            (f"{head}.{part({'jti': 'x'})}.{signature}", "does not match"),
                            (f"{head}.{doubled}.{signature}", "twice"),
                            (f"{head}.{b64(b'[]')}.{signature}", "object"), ("", "segments")]:
            answer = self.client.refresh(self.session["refresh_token"], proof=wrong or "x")
            self.assertError(answer, "invalid_dpop_proof", says=says)

    def test_wrong_claims(self):
        self.refused("htm", htm="GET")
        self.refused("htm", htm="post")
        self.refused("htu", htu=self.url + "?a=b")
        self.refused("htu", htu=self.url + "/")
        self.refused("htu", htu=self.url.replace("127.0.0.1", "localhost"))
        self.refused("jti", without=("jti",))
        self.refused("jti", jti="short")
        self.refused("iat is not an integer", iat=str(int(time.time())))
        self.refused("iat is not an integer", iat=time.time())
        self.refused("iat is not an integer", iat=True)
        self.refused("iat is outside", iat=int(time.time()) - 70)
        self.refused("iat is outside", iat=int(time.time()) + 70)
        self.refused("no place here", exp=int(time.time()) + 60)
        self.refused("no place here", iss="me")
        self.refused("ath has no place", ath="x")

    def test_missing_and_doubled_proofs(self):
        answer = self.client.refresh(self.session["refresh_token"], proof=False)
        self.assertError(answer, "invalid_dpop_proof", says="0 DPoP headers")
        form = {"grant_type": "refresh_token", "refresh_token": self.session["refresh_token"], "client_id": "acct-test"}
        answer = self.client.post("/token", form, headers=[("DPoP", "x")])
        self.assertError(answer, "invalid_dpop_proof", says="2 DPoP headers")

    def test_the_window_and_the_clock_are_settable(self):
        self.settings(clock_offset=3600)
        self.refused("iat is outside")
        answer = self.client.refresh(self.session["refresh_token"], proof=self.client.proof(
            "POST", self.url, iat=int(time.time()) + 3600))
        self.assertEqual(answer.status, 200)
        self.settings(clock_offset=0, iat_window=2)
        answer = self.client.refresh("x", proof=self.client.proof("POST", self.url, iat=int(time.time()) - 4))
        self.assertError(answer, "invalid_dpop_proof", says="iat")


class Nonces(StrictServerTest):
    def test_each_origin_challenges_in_its_own_form_and_has_its_own_nonce(self):
        session = self.issue()
        token, url = session["access_token"], self.client.issuer + "/token"
        first = self.client.refresh(session["refresh_token"], proof=self.client.proof("POST", url))
        self.assertError(first, "use_dpop_nonce")
        as_nonce = first.headers["DPoP-Nonce"]
        target = self.client.resource + "/resource"
        second = self.client.get_resource(token, proof=self.client.proof("GET", target, token))
        self.assertEqual(second.status, 401)
        self.assertTrue(second.headers["WWW-Authenticate"].startswith('DPoP error="use_dpop_nonce"'))
        self.assertNotEqual(second.headers["DPoP-Nonce"], as_nonce)
        crossed = self.client.get_resource(token, proof=self.client.proof("GET", target, token, nonce=as_nonce))
        self.assertError(crossed, "invalid_dpop_proof", 401)
        self.assertIn("another origin", crossed.headers["WWW-Authenticate"])

    def test_every_answer_of_the_origin_carries_the_nonce_and_metadata_only_if_asked(self):
        session = self.issue()
        answer = self.client.refresh(session["refresh_token"])
        self.assertEqual(answer.status, 200)
        self.assertIn("DPoP-Nonce", answer.headers)
        self.assertIn("DPoP-Nonce", self.client.get_resource(answer.json["access_token"]).headers)
        self.assertIn("DPoP-Nonce", self.client.get_resource("x").headers)
        url = self.client.issuer + "/.well-known/oauth-authorization-server"
        self.assertNotIn("DPoP-Nonce", send("GET", url).headers)
        self.settings(nonce_on_metadata=True)
        self.assertIn("DPoP-Nonce", send("GET", url).headers)

    def test_a_nonce_rotates_by_count(self):
        self.settings(nonce_uses=1, nonce_keep=0)
        token, url = self.issue()["access_token"], self.client.resource + "/resource"
        self.assertEqual(self.client.get_resource(token).status, 200)
        fresh = self.client.nonces[url.split("/")[2]]
        self.assertEqual(self.client.get_resource(token).status, 200)
        stale = self.client.get_resource(token, proof=self.client.proof("GET", url, token, nonce=fresh))
        self.assertIn("use_dpop_nonce", stale.headers["WWW-Authenticate"])
        self.assertEqual(self.counts()["nonce_challenges"], 2)

    def test_a_nonce_rotates_by_time(self):
        token = self.issue()["access_token"]
        self.assertEqual(self.client.get_resource(token).status, 200)
        self.settings(nonce_seconds=1e-6)  # so each is many periods old by the time that it is used
        self.assertIn("use_dpop_nonce", self.client.get_resource(token).headers["WWW-Authenticate"])
        self.settings(nonce_seconds=0)
        self.assertEqual(self.client.get_resource(token).status, 200)

    def test_as_many_older_nonces_pass_as_set(self):
        self.settings(nonce_uses=1, nonce_keep=1)
        token, url = self.issue()["access_token"], self.client.resource + "/resource"
        self.client.get_resource(token)
        first = self.client.nonces[url.split("/")[2]]
        self.client.get_resource(token)  # uses it up, so now it is the one before the current one
        passes = self.client.get_resource(token, proof=self.client.proof("GET", url, token, nonce=first))
        self.assertEqual(passes.status, 200)
        self.client.get_resource(token)
        refused = self.client.get_resource(token, proof=self.client.proof("GET", url, token, nonce=first))
        self.assertIn("use_dpop_nonce", refused.headers["WWW-Authenticate"])

    def test_nonces_can_be_made_stale(self):
        token = self.issue()["access_token"]
        self.client.get_resource(token)
        self.server.control("rotate-nonces")
        self.client.get_resource(token)
        self.assertEqual(self.counts()["nonce_challenges"], 2)
