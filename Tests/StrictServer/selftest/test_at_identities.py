"""Directory, did:web and metadata: what is there, and what a test can make wrong."""

from .at_client import NetworkTest
from .mini_client import send


class Documents(NetworkTest):
    def document(self, did: str) -> dict:
        return send("GET", f"{self.ready['plc']}/{did}").json

    def test_a_plc_document_names_the_data_server_and_the_handle(self):
        answer = send("GET", f"{self.ready['plc']}/{self.alice}")
        self.assertTrue(answer.headers["Content-Type"].startswith("application/did+ld+json"))
        self.assertEqual((answer.json["id"], answer.json["alsoKnownAs"]), (self.alice, ["at://alice.test"]))
        self.assertEqual(answer.json["service"][1], {
            "id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": self.ready["pds"]})
        self.assertEqual(self.document(self.carol)["service"][1]["serviceEndpoint"], self.ready["pds2"])
        self.assertEqual(send("GET", f"{self.ready['plc']}/did:plc:nobodynobodynobodynobody").status, 404)

    def test_a_web_document_stands_at_the_well_known_path_of_localhost(self):
        self.assertEqual(self.bob, "did:web:localhost%3A" + self.ready["web"].rpartition(":")[2])
        answer = send("GET", f"{self.ready['web']}/.well-known/did.json")
        self.assertEqual((answer.status, answer.json["id"]), (200, self.bob))
        self.assertIn("at://bob.test", answer.json["alsoKnownAs"])
        self.assertEqual(answer.json["service"][1]["id"], f"{self.bob}#atproto_pds")
        self.assertEqual(send("GET", f"{self.ready['plc']}/{self.bob}").status, 404)

    def test_every_wrong_document(self):
        self.account(document={"id": self.mallory})
        self.assertEqual(self.document(self.alice)["id"], self.mallory)
        self.account(also_known_as=["at://mallory.test"])
        self.assertEqual(self.document(self.alice)["alsoKnownAs"], ["at://mallory.test"])
        self.account(pds="http://pds.example")
        self.assertEqual(self.document(self.alice)["service"][1]["serviceEndpoint"], "http://pds.example")
        self.account(document={"service": None})
        self.assertNotIn("service", self.document(self.alice))
        self.account(status=410)
        self.assertEqual(send("GET", f"{self.ready['plc']}/{self.alice}").status, 410)
        self.account("bob.test", status=404)
        self.assertEqual(send("GET", f"{self.ready['web']}/.well-known/did.json").status, 404)

    def test_a_changed_handle_and_a_move(self):
        self.account(handle="alicia.test", pds="pds2")
        document = self.document(self.alice)
        self.assertEqual(document["alsoKnownAs"], ["at://alicia.test"])
        self.assertEqual(document["service"][1]["serviceEndpoint"], self.ready["pds2"])

    def test_mistakes_in_a_test_are_refused(self):
        for wrong in [{"accounts": {"nobody.test": {}}}, {"accounts": {"alice.test": {"pdss": 1}}},
                      {"dns": {"alice.test": "wrongg"}}, {"dns": {"alice.test": [["x" * 256]]}}, {"signs_in": "me"}]:
            with self.assertRaises(ValueError):
                self.settings(**wrong)


class Metadata(NetworkTest):
    RESOURCE, SERVER = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"

    def test_each_data_server_trusts_its_own_authorization_server(self):
        for pds, issuer in [("pds", "issuer"), ("pds2", "issuer2")]:
            resource = send("GET", self.ready[pds] + self.RESOURCE)
            self.assertEqual(resource.json["resource"], self.ready[pds])
            self.assertEqual(resource.json["authorization_servers"], [self.ready[issuer]])
            self.assertNotIn("DPoP-Nonce", resource.headers)
            server = send("GET", self.ready[issuer] + self.SERVER).json
            self.assertEqual(server["issuer"], self.ready[issuer])
            self.assertTrue(server["require_pushed_authorization_requests"])
            self.assertTrue(server["client_id_metadata_document_supported"])
        self.assertEqual(send("GET", self.ready["issuer"] + self.RESOURCE).status, 404)

    def test_every_wrong_metadata(self):
        self.settings(metadata_override={"issuer": "https://attacker.example"},
                      resource_override={"authorization_servers": ["http://as.example"], "resource": None})
        self.assertEqual(send("GET", self.ready["issuer"] + self.SERVER).json["issuer"], "https://attacker.example")
        resource = send("GET", self.ready["pds"] + self.RESOURCE).json
        self.assertEqual((resource["authorization_servers"], "resource" in resource), (["http://as.example"], False))

    def test_a_redirect_leads_to_a_true_copy_and_a_page_is_no_json(self):
        for endpoint, url in [("metadata", self.ready["issuer"] + self.SERVER),
                              ("plc", f"{self.ready['plc']}/{self.alice}"),
                              ("resource_metadata", self.ready["pds"] + self.RESOURCE),
                              ("did", self.ready["web"] + "/.well-known/did.json")]:
            right = send("GET", url).json
            self.server.control("faults", [{"endpoint": endpoint, "kind": "redirect"},
                                           {"endpoint": endpoint, "kind": "html"}])
            moved = send("GET", url)
            self.assertEqual(moved.status, 307)
            self.assertEqual(send("GET", moved.headers["Location"]).json, right)
            self.assertIn(b"<!doctype html>", send("GET", url).body)

    def test_credentials_have_no_place_at_public_documents(self):
        url = f"{self.ready['plc']}/{self.alice}"
        send("GET", url, headers=[("DPoP", self.client.proof("GET", url))])
        self.assertEqual(self.log()["misplaced"][0]["misplaced"], ["credentials"])
