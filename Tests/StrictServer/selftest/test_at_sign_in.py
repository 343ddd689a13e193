"""Sign-in: both kinds of client ids, pushed requests, the callback, and every answer that a client must refuse."""

from urllib.parse import urlencode

from .at_client import REDIRECT, SCOPE, ATClient, NetworkTest, loopback_id
from .mini_client import Key, send


class SignIn(NetworkTest):
    def test_each_account_signs_in_at_its_own_server(self):
        for handle, did, issuer, pds in [("alice.test", self.alice, "issuer", "pds"),
                                         (self.bob, self.bob, "issuer", "pds"),
                                         ("carol.test", self.carol, "issuer2", "pds2")]:
            client = ATClient(self.ready[issuer], self.ready[pds])
            answer = client.callback(login_hint=handle)
            self.assertEqual((answer["iss"], answer["state"]), (self.ready[issuer], client.form["state"]))
            tokens = client.redeem(answer["code"]).json
            self.assertEqual((tokens["token_type"], tokens["sub"], tokens["scope"], tokens["expires_in"]),
                             ("DPoP", did, SCOPE, 3600))
            session = client.xrpc(tokens["access_token"])
            self.assertEqual((session.status, session.json["did"]), (200, did))
        log = self.log()
        self.assertEqual((log["violations"], log["misplaced"], log["counts"]["codes_redeemed"]), ([], [], 3))
        self.assertEqual([r["login_hint"] for r in log["requests"] if r["status"] == 201],
                         ["alice.test", self.bob, "carol.test"])

    def test_without_a_hint_the_test_says_who_signs_in(self):
        self.assertEqual(self.client.sign_in(login_hint=None).json["sub"], self.alice)
        self.settings(signs_in="bob.test")
        self.assertEqual(self.client.sign_in(login_hint=self.ready["pds"]).json["sub"], self.bob)
        self.assertEqual(self.client.sign_in(login_hint="carol.test").json["sub"], self.bob)  # lives elsewhere

    def test_a_pushed_request_needs_proof_and_nonce(self):
        self.assertError(self.client.par(proof=False), "invalid_dpop_proof")
        url = self.ready["issuer"] + "/oauth/par"
        challenge = self.client.par(proof=self.client.proof("POST", url, without=("nonce",)))
        self.assertError(challenge, "use_dpop_nonce")
        self.assertTrue(challenge.headers["DPoP-Nonce"])
        self.assertError(self.client.par(proof=self.client.proof("POST", url, nonce=challenge.headers["DPoP-Nonce"],
                                                                 ath="x")), "invalid_dpop_proof")
        pushed = self.client.par()
        self.assertEqual((pushed.status, pushed.json["expires_in"]), (201, 300))

    def test_what_may_not_be_pushed(self):
        for changes, error in [
            ({"scope": None}, "invalid_request"), ({"scope": "transition:generic"}, "invalid_scope"),
            ({"scope": "atproto transition:email"}, "invalid_scope"), ({"state": None}, "invalid_request"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"redirect_uri": REDIRECT + "/x"}, "invalid_request"),
            ({"redirect_uri": "http://localhost:39999/callback"}, "invalid_request"),
            ({"redirect_uri": "http://[::1]:39999/callback"}, "invalid_request"),
            ({"client_id": "acct-test"}, "invalid_client_metadata"),
        ]:
            self.assertError(self.client.par(**changes), error)

    def test_the_page_takes_pushed_requests_only_and_once(self):
        uri = self.client.par().json["request_uri"]
        self.assertEqual(self.client.authorize_at(self.client.form).status, 400)
        right = {"client_id": self.client.client_id, "request_uri": uri}
        self.assertEqual(self.client.authorize_at({**right, "client_id": loopback_id(scope="atproto")}).status, 400)
        self.assertEqual(self.client.authorize_at(right).status, 302)
        self.assertEqual(self.client.authorize_at(right).status, 400)

    def test_the_code_needs_the_key_of_the_pushed_request_and_no_ath(self):
        code = self.client.callback()["code"]
        url = self.ready["issuer"] + "/oauth/token"
        self.assertError(self.client.redeem(code, proof=self.client.proof("POST", url, ath="x")), "invalid_dpop_proof")
        self.client.key = Key()
        self.assertError(self.client.redeem(code), "invalid_grant", says="key")


class ClientIDs(NetworkTest):
    def par(self, client_id: str, **changes: str):
        self.client.client_id = client_id
        return self.client.par(**changes)

    def test_loopback_forms_that_pass(self):
        two = "http://localhost?" + urlencode([("redirect_uri", "http://127.0.0.1/callback"),
                                               ("redirect_uri", "http://[::1]/callback"), ("scope", SCOPE)])
        for client_id, changes in [
            (loopback_id(), {}), (loopback_id().replace("localhost?", "localhost/?"), {}),
            (loopback_id("http://127.0.0.1:1/callback"), {}), (two, {"redirect_uri": "http://[::1]:5/callback"}),
            ("http://localhost", {"scope": "atproto", "redirect_uri": "http://127.0.0.1:39999/"}),
        ]:
            self.assertEqual(self.par(client_id, **changes).status, 201, client_id)

    def test_loopback_forms_that_do_not(self):
        for client_id, says in [
            (loopback_id("http://localhost/callback"), "localhost"),
            (loopback_id("https://127.0.0.1/callback"), "http on"),
            (loopback_id("http://10.0.0.1/callback"), "http on"), (loopback_id("http://me@127.0.0.1/callback"), "user"),
            (loopback_id(scope="transition:generic"), "atproto"), (loopback_id() + "&scope=atproto", "twice"),
            (loopback_id() + "&client_name=x", "client_name"), ("http://localhost/x?scope=atproto", "path"),
            (loopback_id() + "#x", "fragment"), ("https://localhost", "neither"), ("http://127.0.0.1", "neither"),
        ]:
            self.assertError(self.par(client_id), "invalid_client_metadata", says=says)

    def test_a_hosted_client_signs_in(self):
        client = ATClient(self.ready["issuer"], self.ready["pds"], self.ready["client_id"])
        tokens = client.sign_in().json
        self.assertEqual(client.refresh(tokens["refresh_token"]).status, 200)
        self.settings(hosted_override={"grant_types": ["authorization_code"]})
        self.assertNotIn("refresh_token", client.sign_in().json)

    def test_hosted_metadata_that_is_refused(self):
        for changes, says in [
            ({"client_id": "https://other.example/c.json"}, "its address"), ({"application_type": "desktop"}, "native"),
            ({"application_type": "web"}, "https only"), ({"dpop_bound_access_tokens": None}, "dpop_bound"),
            ({"grant_types": ["refresh_token"]}, "authorization_code"), ({"redirect_uris": []}, "redirect_uris"),
            ({"grant_types": ["authorization_code", "implicit"]}, "not supported"), ({"scope": "openid"}, "atproto"),
            ({"response_types": ["token"]}, "code"), ({"token_endpoint_auth_method": None}, "none"),
            ({"redirect_uris": ["http://localhost/callback"]}, "localhost"),
            ({"redirect_uris": ["com.example:/callback"]}, "reverse"),
        ]:
            self.settings(hosted_override=changes)
            self.assertError(self.par(self.ready["client_id"]), "invalid_client_metadata", says=says)
        self.settings(hosted_override={})
        for fault in [{"kind": "redirect"}, {"kind": "html"}, {"kind": "status", "status": 404}]:
            self.server.control("faults", {"endpoint": "client", **fault})
            self.assertError(self.par(self.ready["client_id"]), "invalid_client_metadata")

    def test_https_client_ids_come_from_the_settings(self):
        client_id = "https://app.example/client-metadata.json"
        document = {**send("GET", self.ready["client_id"]).json, "client_id": client_id, "application_type": "web",
                    "redirect_uris": ["https://app.example/callback"]}
        self.settings(client_documents={client_id: document})
        self.assertEqual(self.par(client_id, redirect_uri="https://app.example/callback").status, 201)
        document["redirect_uris"] = ["https://other.example/callback"]
        self.settings(client_documents={client_id: document})
        self.assertError(self.par(client_id), "invalid_client_metadata", says="host")
        native = {**document, "application_type": "native", "redirect_uris": ["example.app:/callback"]}
        self.settings(client_documents={client_id: native})
        self.assertEqual(self.par(client_id, redirect_uri="example.app:/callback").status, 201)


class Hostile(NetworkTest):
    def test_callbacks(self):
        self.settings(callback_override={"iss": "https://attacker.example"})
        self.assertEqual(self.client.callback()["iss"], "https://attacker.example")
        self.settings(callback_override={"iss": None, "state": "forged"})
        answer = self.client.callback()
        self.assertEqual((answer["state"], "iss" in answer), ("forged", False))

    def test_token_answers(self):
        for changes in [{"token_type": "Bearer"}, {"scope": "transition:generic"}, {"sub": self.mallory},
                        {"sub": None}]:
            self.settings(token_override=changes)
            tokens = self.client.sign_in().json
            for name, value in changes.items():
                self.assertEqual(tokens.get(name), value)
