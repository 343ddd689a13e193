"""Metadata, pushed requests, the authorization endpoint, PKCE and the code's one use."""

from urllib.parse import quote

from .mini_client import CLIENT, Client, Key, StrictServerTest, callback, send


class Metadata(StrictServerTest):
    arguments = ("--issuer-path", "/tenant")

    def fetch(self, path: str):
        return send("GET", self.server.ready["issuer"].removesuffix("/tenant") + path)

    def test_each_path_is_there_only_if_offered(self):
        oauth, openid = "/.well-known/oauth-authorization-server/tenant", "/tenant/.well-known/openid-configuration"
        self.assertEqual(self.fetch(oauth).json["issuer"], self.server.ready["issuer"])
        self.assertEqual(self.fetch(openid).status, 404)
        self.settings(metadata_at=["openid-configuration"])
        self.assertEqual(self.fetch(oauth).status, 404)
        self.assertEqual(self.fetch(openid).json["code_challenge_methods_supported"], ["S256"])

    def test_members_follow_the_settings(self):
        path = "/.well-known/oauth-authorization-server/tenant"
        self.assertTrue(self.fetch(path).json["require_pushed_authorization_requests"])
        self.settings(par="off", dpop="off", revocation="off",
                      metadata_override={"issuer": "x", "token_endpoint": None})
        value = self.fetch(path).json
        self.assertEqual(value["issuer"], "x")
        gone = {"pushed_authorization_request_endpoint", "dpop_signing_alg_values_supported", "revocation_endpoint",
                "token_endpoint"}
        self.assertFalse(gone & set(value))


class Authorization(StrictServerTest):
    def test_a_sign_in_gives_tokens_that_work(self):
        answer, verifier = self.client.sign_in(scope="notes files")
        self.assertEqual(answer["iss"], self.client.issuer)
        tokens = self.client.redeem(answer["code"], verifier)
        self.assertEqual(tokens.status, 200)
        self.assertEqual(tokens.headers["Cache-Control"], "no-store")
        self.assertEqual((tokens.json["token_type"], tokens.json["scope"], tokens.json["expires_in"]),
                         ("DPoP", "notes files", 3600))
        resource = self.client.get_resource(tokens.json["access_token"])
        self.assertEqual((resource.status, resource.json), (200, {"sub": "user-1"}))
        log = self.server.control("log")
        self.assertEqual((log["violations"], log["misplaced"]), ([], []))

    def test_what_may_not_be_pushed(self):
        registered = ["http://127.0.0.1/callback", "http://app.example/callback", "http://localhost/callback"]
        self.settings(clients={CLIENT: {"redirect_uris": registered}})
        for changes, says in [
            ({"response_type": "token"}, "only code"), ({"code_challenge_method": "plain"}, "S256"),
            ({"code_challenge_method": None}, "code_challenge_method"), ({"code_challenge": "x"}, "code_challenge"),
            ({"state": None}, "state"), ({"state": "short"}, "state"), ({"request_uri": "urn:x"}, "request_uri"),
            ({"redirect_uri": "http://127.0.0.1:39999/other"}, "redirect_uri"),
            ({"redirect_uri": "http://localhost:39999/callback"}, "redirect_uri"),
            ({"redirect_uri": "http://app.example:39999/callback"}, "redirect_uri"),
            ({"redirect_uri": "https://127.0.0.1:39999/callback"}, "redirect_uri"),
            ({"redirect_uri": "http://127.0.0.1:39999/callback?a=b"}, "redirect_uri"),
            ({"redirect_uri": None}, "redirect_uri"), ({"dpop_jkt": "x"}, "dpop_jkt"),
        ]:
            answer = self.client.post("/par", self.client.authorization(**changes)[0], proof=False)
            self.assertEqual(answer.status, 400, changes)
            self.assertIn(says, answer.json["error_description"])
        for changes in [{"client_id": "ACCT-test"}, {"client_secret": "s"}]:
            answer = self.client.post("/par", self.client.authorization(**changes)[0], proof=False)
            self.assertError(answer, "invalid_client", 401)

    def test_a_proof_at_par_binds_as_dpop_jkt_does(self):
        form, _ = self.client.authorization(dpop_jkt=None)
        self.assertEqual(self.client.post("/par", form).status, 201)
        self.assertError(self.client.post("/par", {**form, "dpop_jkt": Key().jkt}), "invalid_dpop_proof")
        self.settings(require_dpop_jkt=True)
        self.assertError(self.client.post("/par", form, proof=False), "invalid_request", says="dpop_jkt")
        self.assertEqual(self.client.post("/par", form).status, 201)
        self.settings(par_dpop="required")
        self.assertError(self.client.post("/par", form, proof=False), "invalid_dpop_proof")

    def test_scopes_can_be_limited(self):
        self.settings(scopes=["notes"])
        form, _ = self.client.authorization(scope="notes files")
        self.assertError(self.client.post("/par", form, proof=False), "invalid_scope")

    def test_a_request_uri_works_once_and_alone(self):
        form, _ = self.client.authorization()
        uri = self.client.post("/par", form, proof=False).json["request_uri"]
        self.settings(clients={CLIENT: {"redirect_uris": []}, "two": {"redirect_uris": []}})
        self.assertEqual(self.client.authorize({"client_id": "two", "request_uri": uri}).status, 400)
        self.assertEqual(self.client.authorize({"client_id": CLIENT, "request_uri": uri, "state": "x"}).status, 400)
        self.assertEqual(self.client.authorize({"client_id": CLIENT, "request_uri": uri}).status, 302)
        self.assertEqual(self.client.authorize({"client_id": CLIENT, "request_uri": uri}).status, 400)
        self.assertEqual(self.client.authorize(form).status, 400)  # PAR is required

    def test_without_par_errors_go_to_the_client_only_where_it_is_sure(self):
        self.settings(par="offered")
        form, _ = self.client.authorization()
        self.assertIn("code", callback(self.client.authorize(form)))
        answer = callback(self.client.authorize({**form, "response_type": "token"}))
        self.assertEqual((answer["error"], answer["iss"], answer["state"]),
                         ("unsupported_response_type", self.client.issuer, form["state"]))
        self.assertEqual(self.client.authorize({**form, "redirect_uri": "https://evil.example/"}).status, 400)

    def test_a_user_who_says_no(self):
        self.settings(par="off")
        form, _ = self.client.authorization()
        answer = callback(self.client.authorize(form, [("X-Strict-Decision", "deny")]))
        self.assertEqual((answer["error"], answer["iss"]), ("access_denied", self.client.issuer))
        self.settings(authorize="deny")
        self.assertEqual(callback(self.client.authorize(form))["error"], "access_denied")

    def test_a_code_is_checked_against_everything_it_was_made_for(self):
        other = Client(self.client.issuer, self.client.resource)
        self.settings(clients={CLIENT: {"redirect_uris": ["http://127.0.0.1/callback"]}, "two": {"redirect_uris": []}})
        for changes, says in [({"code_verifier": "v" * 43}, "verifier"), ({"client_id": "two"}, "another client"),
                              ({"redirect_uri": "http://127.0.0.1:1/callback"}, "redirect_uri")]:
            answer, verifier = self.client.sign_in()
            self.assertError(self.client.redeem(answer["code"], verifier, **changes), "invalid_grant", says=says)
            # Spent by the wrong try.
            self.assertError(self.client.redeem(answer["code"], verifier), "invalid_grant", says="used before")
        answer, verifier = self.client.sign_in()
        self.assertError(other.redeem(answer["code"], verifier), "invalid_grant", says="dpop_jkt")

    def test_a_code_expires(self):
        answer, verifier = self.client.sign_in()
        self.settings(clock_offset=61, iat_window=120)
        self.assertError(self.client.redeem(answer["code"], verifier), "invalid_grant", says="expired")

    def test_a_replayed_code_ends_the_session_that_it_gave(self):
        answer, verifier = self.client.sign_in()
        tokens = self.client.redeem(answer["code"], verifier).json
        self.assertError(self.client.redeem(answer["code"], verifier), "invalid_grant", says="used before")
        self.assertError(self.client.refresh(tokens["refresh_token"]), "invalid_grant", says="ended")
        self.assertEqual((self.counts()["code_replays"], self.counts()["sessions_ended"]), (1, 1))

    def test_a_nonce_challenge_spends_no_code(self):
        answer, verifier = self.client.sign_in()
        url = self.client.issuer + "/token"
        bare = self.client.redeem(answer["code"], verifier, proof=self.client.proof("POST", url, without=("nonce",)))
        self.assertError(bare, "use_dpop_nonce")
        self.assertEqual(self.client.redeem(answer["code"], verifier).status, 200)

    def test_form_bodies_are_read_to_the_letter(self):
        url, form = self.client.issuer + "/token", "application/x-www-form-urlencoded"
        for body, media_type, target, says in [
            (b"grant_type=refresh_token&client_id=acct-test&refresh_token=x", "application/json", url, "x-www-form"),
            (b"client_id=acct-test&client_id=acct-test", form, url, "twice"),
            (b"client_id=http://a", form, url, "percent-encoded"), (b"client_id=%zz", form, url, "percent-encoded"),
            (b"client_id", form, url, "percent-encoded"), (b"client_id=%ff", form, url, "UTF-8"),
            (b"client_id=" + quote(CLIENT).encode(), form, url + "?a=b", "query"),
            (b"client_id=", form, url, "missing"),
        ]:
            answer = send("POST", target, body, [("Content-Type", media_type)])
            self.assertError(answer, "invalid_request", says=says)
        self.assertError(send("GET", url), "invalid_request", 405)
        self.assertError(self.client.post("/token", {"grant_type": "password", "client_id": CLIENT}),
                         "unsupported_grant_type")
        self.assertError(self.client.refresh("x", client_id="nobody"), "invalid_client", 401)
        answer = self.client.post("/token", {"client_id": CLIENT}, headers=[("Authorization", "Basic eA==")])
        self.assertError(answer, "invalid_client", 401)
