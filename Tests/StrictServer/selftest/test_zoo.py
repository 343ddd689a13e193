"""What a file of the zoo can say, and that the strict server's rules hold under it."""

import json
import unittest

from strict.realm import Realm
from strict.settings import Settings
from strict.wire import Request
from zoo.service import ZooService
from zoo.species import Species
from zoo.templates import Absent, filled


class Templates(unittest.TestCase):
    def test_a_name_alone_keeps_its_type_and_an_absent_one_leaves_its_member_out(self):
        self.assertEqual(filled({"a": "${n}", "b": "${n} s", "c": "${m}", "d": ["${m}", 1]}, {"n": 3}),
                         {"a": 3, "b": "3 s", "d": [1]})
        self.assertRaises(Absent, filled, "x ${m}", {})

    def test_times_are_counted_from_now(self):
        self.assertEqual(filled("${now+60}", {}) - filled("${now-60}", {}), 120)


class Answers(unittest.TestCase):
    def service(self, **members) -> ZooService:
        species = Species.parse({"server": "x", "known": [], "play": [], **members})
        settings = Settings(dpop="off", par="off", token_format="opaque", device_interval=0, device_approve_after=0)
        settings.merge(species.settings)
        service = ZooService(Realm(settings, species.issuer), species)
        self.addCleanup(lambda: [origin.server_close() for origin in service.origins])
        return service

    def post(self, service: ZooService, path: str, form: str):
        base = service.realm.bases["as"]
        fields = [("Content-Type", "application/x-www-form-urlencoded")]
        answer = service.answer(Request("as", base, "POST", path, fields, form.encode()))
        return answer.status, answer.body.decode()

    def refresh_token(self, service: ZooService) -> str:
        grant = json.loads(self.post(service, "/device_authorization", "client_id=acct-test")[1])
        polled = self.post(service, "/token", "client_id=acct-test&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type"
                                              f"%3Adevice_code&device_code={grant['device_code']}")
        return json.loads(polled[1])["refresh_token"]

    def test_what_a_rule_refuses_spends_nothing(self):
        service = self.service(answers={"token": [{"grant": "refresh", "refuses": True, "count": 1, "text": "no"}]})
        form = f"client_id=acct-test&grant_type=refresh_token&refresh_token={self.refresh_token(service)}"
        self.assertEqual(self.post(service, "/token", form), (400, "no"))
        self.assertEqual(self.post(service, "/token", form)[0], 200)
        self.assertIn("invalid_grant", self.post(service, "/token", form)[1])

    def test_a_wrong_request_is_a_violation_in_whatever_words(self):
        service = self.service(answers={"token": [{"of": "refusal", "status": 200, "json": {"no": "${error}"}}]})
        self.assertEqual(self.post(service, "/token", "client_id=acct-test&grant_type=password"),
                         (200, '{"no": "unsupported_grant_type"}'))
        self.assertTrue(service.realm.trace.records()[-1]["violation"])

    def test_tokens_look_as_the_file_says_and_work(self):
        service = self.service(tokens={"refresh_token": "rt-x-${token}"})
        token = self.refresh_token(service)
        self.assertTrue(token.startswith("rt-x-"))
        form = f"client_id=acct-test&grant_type=refresh_token&refresh_token={token}"
        self.assertEqual(self.post(service, "/token", form)[0], 200)

    def test_a_member_that_is_not_known_is_an_error(self):
        for wrong in ({"plays": []}, {"answers": {"tokens": []}}, {"answers": {"token": [{"stats": 1}]}},
                      {"answers": {"token": [{"of": "x"}]}}, {"documents": {"/": {"body": ""}}}, {"tokens": {"x": ""}}):
            with self.assertRaises(ValueError):
                Species.parse({"server": "x", "known": [], "play": [], **wrong})
