"""Renewal, moving, sign-out and the data server: how sessions live and end."""

from .at_client import ATClient, NetworkTest, loopback_id
from .mini_client import Key

DAY = 86400


class Renewal(NetworkTest):
    def test_a_refresh_token_is_good_for_one_use_and_a_replay_ends_the_session(self):
        session = self.issue()
        renewed = self.client.refresh(session["refresh_token"]).json
        self.assertEqual((renewed["sub"], renewed["token_type"]), (self.alice, "DPoP"))
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="used before")
        self.assertError(self.client.refresh(renewed["refresh_token"]), "invalid_grant", says="ended")
        self.assertEqual(self.client.xrpc(renewed["access_token"]).status, 401)

    def test_fourteen_days_from_sign_in_whatever_was_renewed(self):
        session = self.issue(age=14 * DAY - 60)
        renewed = self.client.refresh(session["refresh_token"]).json
        self.server.control("age", {"seconds": 120, "sub": self.alice})
        self.assertError(self.client.refresh(renewed["refresh_token"]), "invalid_grant", says="time since sign-in")
        self.assertEqual(self.log()["violations"], [])
        self.settings(session_lifetime=0)
        self.assertError(self.client.refresh(self.issue(age=1)["refresh_token"]), "invalid_grant")

    def test_another_client_id_ends_the_session_but_a_challenge_does_not(self):
        session = self.issue()
        other = loopback_id(scope="atproto")
        url = self.ready["issuer"] + "/oauth/token"
        challenge = self.client.refresh(session["refresh_token"], client_id=other, proof=self.client.proof("POST", url))
        self.assertError(challenge, "use_dpop_nonce")
        self.assertIsNone(self.log()["sessions"][0]["ended"])
        self.assertError(self.client.refresh(session["refresh_token"], client_id=other), "invalid_grant")
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="client_id")

    def test_another_key_is_refused(self):
        session = self.issue()
        self.client.key = Key()
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="key")

    def test_a_self_hosted_server_kills_the_access_token_before(self):
        for self_hosted, status in [(False, 200), (True, 401)]:
            self.settings(self_hosted=self_hosted)
            session = self.issue()
            renewed = self.client.refresh(session["refresh_token"]).json
            self.assertEqual(self.client.xrpc(session["access_token"]).status, status)
            self.assertEqual(self.client.xrpc(renewed["access_token"]).status, 200)

    def test_a_nonce_is_each_origins_own_and_can_go_stale_at_once(self):
        session = self.issue()
        self.client.xrpc(session["access_token"])
        pds, issuer = (self.ready[name].removeprefix("http://") for name in ("pds", "issuer"))
        self.client.refresh(session["refresh_token"])
        self.assertNotEqual(self.client.nonces[pds], self.client.nonces[issuer])
        self.client.nonces[pds] = self.client.nonces[issuer]
        self.assertError(self.client.xrpc(session["access_token"]), "invalid_dpop_proof", 401)
        self.settings(nonce_uses=1, nonce_keep=0)
        del self.client.nonces[pds]
        before = self.log()["counts"]["nonce_challenges"]
        for _ in range(3):
            self.assertEqual(self.client.xrpc(session["access_token"]).status, 200)
        self.assertEqual(self.log()["counts"]["nonce_challenges"], before + 1)  # each 200 brings the next nonce

    def test_a_nonce_lives_three_minutes_or_as_long_as_set(self):
        settings = self.server.control("settings")
        self.assertEqual(settings["nonce_seconds"] * (settings["nonce_keep"] + 1), 180)
        token = self.issue()["access_token"]
        self.client.xrpc(token)
        self.settings(nonce_seconds=1e-6)
        self.assertEqual(self.client.xrpc(token).status, 401)

    def test_the_other_houses_nonce_is_a_violation(self):
        token = self.issue(account="carol.test")["access_token"]
        carol = ATClient(self.ready["issuer2"], self.ready["pds2"])
        carol.key = self.client.key
        self.client.xrpc(self.issue()["access_token"])
        pds, pds2 = (self.ready[name].removeprefix("http://") for name in ("pds", "pds2"))
        carol.nonces[pds2] = self.client.nonces[pds]
        self.assertEqual(carol.xrpc(token).status, 200)
        self.assertEqual([r["description"] for r in self.log()["violations"]], ["the nonce is another origin's"])


class Moving(NetworkTest):
    def test_a_renewal_at_the_old_server_is_misplaced_and_loses_the_session(self):
        session = self.issue()
        self.account(pds="pds2")
        self.assertEqual(self.client.xrpc(session["access_token"]).status, 401)
        self.assertEqual(self.log()["misplaced"], [])
        self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="moved")
        self.assertEqual([r["misplaced"] for r in self.log()["misplaced"]], [["refresh_token"]] * 2)

    def test_a_moved_account_signs_in_where_it_lives_now(self):
        self.account(pds="pds2")
        client = ATClient(self.ready["issuer2"], self.ready["pds2"])
        tokens = client.sign_in(login_hint="alice.test").json
        self.assertEqual(tokens["sub"], self.alice)
        self.assertEqual(client.xrpc(tokens["access_token"]).json["did"], self.alice)
        self.assertEqual(self.client.sign_in(login_hint="alice.test").json["sub"], self.bob)

    def test_tokens_and_proofs_at_the_other_house_are_misplaced(self):
        session = self.issue()
        stranger = ATClient(self.ready["issuer2"], self.ready["pds2"])
        stranger.key = self.client.key
        stranger.xrpc(session["access_token"])
        stranger.refresh(session["refresh_token"])
        found = {(r["origin"], *r["misplaced"]) for r in self.log()["misplaced"]}
        self.assertEqual(found, {("pds2", "access_token"), ("as2", "refresh_token")})
        proof = self.client.proof("POST", self.ready["issuer"] + "/oauth/token")
        stranger.refresh("x", proof=proof)
        self.assertEqual(self.log()["misplaced"][-1]["misplaced"], ["proof"])


class Revocation(NetworkTest):
    def test_without_a_proof_it_is_200_and_nothing_happens(self):
        session = self.issue()
        self.assertEqual(self.client.revoke(session["refresh_token"], proof=False).status, 200)
        log = self.log()
        self.assertEqual((log["sessions"][0]["ended"], len(log["violations"])), (None, 1))
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 200)

    def test_with_a_proof_the_session_ends_whichever_token_was_named(self):
        for name in ["refresh_token", "access_token"]:
            session = self.issue()
            self.assertEqual(self.client.revoke(session[name]).status, 200)
            self.assertError(self.client.refresh(session["refresh_token"]), "invalid_grant", says="revoked")
            self.assertEqual(self.client.xrpc(session["access_token"]).status, 401)

    def test_servers_that_cannot_revoke(self):
        for setting, status in [("unavailable", 503), ("unauthorized", 401), ("off", 404)]:
            self.settings(revocation=setting)
            self.assertEqual(self.client.revoke("x").status, status)


class DataServer(NetworkTest):
    def test_the_session_says_who_and_follows_the_handle(self):
        token = self.issue()["access_token"]
        self.assertEqual(self.client.xrpc(token).json["handle"], "alice.test")
        self.account(handle="alicia.test")
        self.assertEqual(self.client.xrpc(token).json["handle"], "alicia.test")
        self.assertEqual(self.client.xrpc(token, "POST").status, 405)

    def test_any_other_method_is_echoed(self):
        token = self.issue()["access_token"]
        answer = self.client.xrpc(token, "POST", "app.bsky.feed.getTimeline", "?limit=3")
        self.assertEqual((answer.status, answer.json["nsid"], answer.json["method"], answer.json["query"]),
                         (200, "app.bsky.feed.getTimeline", "POST", {"limit": "3"}))

    def test_expired_and_strange_tokens_get_a_challenge(self):
        for token in [self.issue(lifetime=-1)["access_token"], "strange"]:
            answer = self.client.xrpc(token)
            self.assertError(answer, "invalid_token", 401)
            self.assertTrue(answer.headers["WWW-Authenticate"].startswith('DPoP error="invalid_token"'))
