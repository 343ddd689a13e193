"""Renewal, replay, bearer mode, the shape of tokens, the resource server and revocation."""

import base64
import json
import time

from .mini_client import CLIENT, Client, StrictServerTest, send


def claims(token: str) -> dict:
    middle = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))


class Renewal(StrictServerTest):
    def test_a_refresh_token_works_once_and_its_replay_ends_everything(self):
        session = self.issue()
        new = self.client.refresh(session["refresh_token"]).json
        self.assertEqual(self.client.get_resource(new["access_token"]).status, 200)
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="used before")
        self.assertError(self.client.refresh(new["refresh_token"]), "invalid_grant", says="has ended")
        self.assertError(self.client.get_resource(new["access_token"]), "invalid_token", 401)
        counts = self.counts()
        self.assertEqual((counts["refreshes"], counts["replays"], counts["sessions_ended"]), (1, 1, 1))

    def test_who_may_not_refresh(self):
        session = self.issue()
        self.settings(clients={CLIENT: {"redirect_uris": []}, "two": {"redirect_uris": []}})
        thief = Client(self.client.issuer, self.client.resource)
        self.assertError(thief.refresh(session["refresh_token"]), "invalid_grant", says="key")
        self.assertError(self.client.refresh(session["refresh_token"], client_id="two"), "invalid_grant")
        self.assertError(self.client.refresh("unknown"), "invalid_grant", says="unknown")
        self.assertError(self.client.refresh(session["refresh_token"], scope="more"), "invalid_scope")
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 200)

    def test_tokens_that_do_not_rotate(self):
        self.settings(rotate_refresh=False)
        session = self.issue()
        for _ in range(2):
            answer = self.client.refresh(session["refresh_token"])
            self.assertEqual(answer.status, 200)
            self.assertNotIn("refresh_token", answer.json)

    def test_sessions_end_by_the_tests_word(self):
        session = self.issue(sub="alice")
        self.assertEqual(self.server.control("end", {"sub": "bob"}), {"ended": 0})
        self.assertEqual(self.server.control("end", {"sub": "alice"}), {"ended": 1})
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="ended by a test")

    def test_the_shape_of_answers(self):
        self.settings(lifetime=100, expires_in=None, lowercase_token_type=True, sub_in_response=True)
        answer = self.client.refresh(self.issue()["refresh_token"]).json
        self.assertEqual((answer["token_type"], answer["sub"]), ("dpop", "user-1"))
        self.assertNotIn("expires_in", answer)
        value = claims(answer["access_token"])
        self.assertEqual(value["aud"], self.client.resource)
        self.assertEqual(value["cnf"], {"jkt": self.client.key.jkt})
        self.assertAlmostEqual(value["exp"], time.time() + 100, delta=30)
        self.settings(expires_in="soon", jwt_exp="string")
        answer = self.client.refresh(answer["refresh_token"]).json
        self.assertEqual(answer["expires_in"], "soon")
        self.assertIsInstance(claims(answer["access_token"])["exp"], str)
        self.settings(token_format="opaque")
        answer = self.client.refresh(answer["refresh_token"]).json
        self.assertNotIn(".", answer["access_token"])
        self.assertEqual(self.client.get_resource(answer["access_token"]).status, 200)


class IssuedSessions(StrictServerTest):
    def test_an_issued_session_may_be_past_already(self):
        session = self.issue(expires_in=-100, sub="alice", handle="alice.test", scope="notes")
        self.assertEqual((session["expires_in"], session["handle"], session["token_type"], session["clientId"]),
                         (-100, "alice.test", "DPoP", CLIENT))
        self.assertError(self.client.get_resource(session["access_token"]), "invalid_token", 401, says="")
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 200)

    def test_what_is_said_and_what_is_true_may_differ(self):
        session = self.issue(expires_in=1, lifetime=1000, format="opaque")
        self.assertNotIn(".", session["access_token"])
        self.assertEqual(self.client.get_resource(session["access_token"]).status, 200)
        self.assertNotIn("expires_in", self.issue(expires_in=None))

    def test_the_server_can_make_the_key(self):
        session = self.server.control("issue", {"dpop": True})
        self.assertEqual(set(session["dpopKey"]), {"kty", "crv", "x", "y", "d"})

    def test_mistakes_are_said(self):
        for wrong in [{"jwk": {"kty": "RSA"}}, {"expires": 1}]:
            with self.assertRaises(ValueError):
                self.server.control("issue", wrong)


class Bearer(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.settings(dpop="off")

    def test_a_bearer_session_from_sign_in_to_renewal(self):
        answer, verifier = self.client.sign_in(dpop_jkt=None)
        tokens = self.client.redeem(answer["code"], verifier, proof=False)
        self.assertEqual(tokens.json["token_type"], "Bearer")
        self.assertNotIn("DPoP-Nonce", tokens.headers)
        new = self.client.refresh(tokens.json["refresh_token"], proof=False).json
        self.assertEqual(self.client.get_resource(new["access_token"], "Bearer", proof=False).status, 200)
        self.assertError(self.client.get_resource(new["access_token"], "DPoP", proof=False), "invalid_token", 401)
        self.assertError(self.client.get_resource(new["access_token"], "Bearer"), "invalid_request", 401)

    def test_no_credential_meets_a_bare_challenge(self):
        answer = send("GET", self.client.resource + "/resource")
        self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, 'Bearer realm="strict"'))

    def test_optional_binding_follows_the_proof(self):
        self.settings(dpop="optional")
        answer, verifier = self.client.sign_in(dpop_jkt=None)
        self.assertEqual(self.client.redeem(answer["code"], verifier, proof=False).json["token_type"], "Bearer")
        answer, verifier = self.client.sign_in()
        self.assertError(self.client.redeem(answer["code"], verifier, proof=False), "invalid_grant")
        answer, verifier = self.client.sign_in()
        tokens = self.client.redeem(answer["code"], verifier).json
        self.assertEqual(tokens["token_type"], "DPoP")
        self.assertError(self.client.refresh(tokens["refresh_token"], proof=False), "invalid_grant")


class Resource(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.settings(rs_nonce=False)
        self.token = self.issue()["access_token"]
        self.url = self.client.resource + "/resource"

    def test_the_scheme_is_dpop_never_bearer(self):
        self.assertEqual(self.client.get_resource(self.token, query="?a=b").status, 200)
        self.assertError(self.client.get_resource(self.token, "Bearer"), "invalid_token", 401)
        self.assertError(self.client.get_resource(self.token, "Bearer", proof=False), "invalid_token", 401)

    def test_the_proof_is_for_this_token_and_this_key(self):
        for proof in [self.client.proof("GET", self.url), self.client.proof("GET", self.url, "another"),
                      self.client.proof("POST", self.url, self.token), False]:
            self.assertError(self.client.get_resource(self.token, proof=proof), "invalid_dpop_proof", 401)
        thief = Client(self.client.issuer, self.client.resource)
        answer = thief.get_resource(self.token)
        self.assertError(answer, "invalid_token", 401)
        self.assertIn("Invalid DPoP key binding", answer.headers["WWW-Authenticate"])

    def test_malformed_credentials(self):
        self.assertError(self.client.get_resource("a b"), "invalid_request", 401)
        self.assertError(self.client.get_resource(self.token, query="?access_token=x"), "invalid_request", 401)
        answer = send("GET", self.url)
        self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, 'DPoP algs="ES256"'))

    def test_access_tokens_can_be_made_worthless_while_the_session_lives(self):
        session = self.issue()
        self.server.control("revoke-access")
        self.assertError(self.client.get_resource(session["access_token"]), "invalid_token", 401)
        new = self.client.refresh(session["refresh_token"]).json
        self.assertEqual(self.client.get_resource(new["access_token"]).status, 200)


class Revocation(StrictServerTest):
    def revoke(self, token: str, **how):
        return self.client.post("/revoke", {"token": token, "client_id": CLIENT}, **how)

    def test_a_bound_token_is_revoked_only_with_its_proof(self):
        session = self.issue()
        self.assertError(self.revoke(session["refresh_token"], proof=False), "invalid_dpop_proof")
        thief = Client(self.client.issuer, self.client.resource)
        answer = thief.post("/revoke", {"token": session["refresh_token"], "client_id": CLIENT})
        self.assertError(answer, "invalid_dpop_proof")
        self.assertEqual(self.revoke(session["refresh_token"]).status, 200)
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="revoked")
        self.assertEqual(self.revoke(session["refresh_token"]).status, 200)

    def test_nobody_revokes_another_clients_token(self):
        self.settings(clients={CLIENT: {"redirect_uris": []}, "two": {"redirect_uris": []}})
        session = self.issue(client_id="two")
        self.assertError(self.revoke(session["refresh_token"]), "invalid_client")

    def test_an_access_token_goes_alone(self):
        session = self.issue()
        self.assertEqual(self.revoke(session["access_token"]).status, 200)
        self.assertError(self.client.get_resource(session["access_token"]), "invalid_token", 401)
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 200)

    def test_unknown_tokens_and_bearer_tokens_need_no_proof(self):
        self.assertEqual(self.revoke("unknown", proof=False).status, 200)
        bearer = self.server.control("issue", {})
        self.assertEqual(self.revoke(bearer["refresh_token"], proof=False).status, 200)

    def test_servers_that_do_not_revoke(self):
        for setting, status in [("unauthorized", 401), ("unavailable", 503), ("off", 404)]:
            self.settings(revocation=setting)
            self.assertEqual(self.revoke("x", proof=False).status, status)
