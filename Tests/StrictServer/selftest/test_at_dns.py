"""The DNS server: every answer that a test can ask for, and what a resolver must not send."""

import struct

from .at_client import NetworkTest, dns_query, over_tcp, over_udp, texts_of


class DNS(NetworkTest):
    def setUp(self) -> None:
        super().setUp()
        self.right = [f"did={self.alice}"]

    def ask(self, answer: object = None, handle: str = "alice.test", answers: int = 1, **how: object) -> list[bytes]:
        if answer is not None:
            self.settings(dns={handle: answer})
        return over_udp(self.ready["dns"], dns_query(f"_atproto.{handle}", **how), answers)

    def rcode(self, data: bytes) -> int:
        return data[3] & 15

    def test_each_account_has_its_record_and_nobody_else(self):
        for handle, did in self.ready["accounts"].items():
            self.assertEqual(texts_of(self.ask(handle=handle)[0]), [f"did={did}"])
        self.assertEqual(self.rcode(self.ask(handle="nobody.test")[0]), 3)
        self.assertEqual(texts_of(over_tcp(self.ready["dns"], dns_query("_atproto.ALICE.test"))), self.right)
        self.account(handle="alicia.test")
        self.assertEqual(self.rcode(self.ask()[0]), 3)
        self.assertEqual(texts_of(self.ask(handle="alicia.test")[0]), self.right)

    def test_right_answers_in_every_spelling(self):
        for kind in ["right", "split", "cname", "pointers", "uncompressed"]:
            self.assertEqual(texts_of(self.ask(kind)[0]), self.right, kind)
            self.assertEqual(texts_of(self.ask(kind, edns=4096)[0]), self.right, kind)
        self.assertEqual(texts_of(self.ask("twice")[0]), self.right * 2)
        self.assertIn(self.right[0], texts_of(self.ask("noise")[0]))

    def test_wrong_answers(self):
        other = f"did={self.mallory}"
        self.assertEqual(texts_of(self.ask("another")[0]), [other])
        self.assertEqual(texts_of(self.ask("two")[0]), [*self.right, other])
        self.assertEqual(texts_of(self.ask([["did=", "x"], "y"])[0]), ["did=x", "y"])
        self.assertEqual(texts_of(self.ask("other_owner")[0]), [])
        for kind, rcode in [("none", 3), ("empty", 0), ("servfail", 2), ("refused", 5)]:
            self.assertEqual(self.rcode(self.ask(kind)[0]), rcode)
        self.assertEqual(texts_of(self.ask("empty")[0]), [])

    def test_what_does_not_fit_comes_over_tcp(self):
        for kind in ["truncated", "big"]:
            cut = self.ask(kind, edns=1232)[0]
            self.assertTrue(cut[2] & 2, kind)
            self.assertEqual(texts_of(cut), [])
            self.assertIn(self.right[0], texts_of(over_tcp(self.ready["dns"], dns_query("_atproto.alice.test"))))

    def test_malformed_answers(self):
        for kind in ["malformed", "overlong", "loop"]:
            with self.assertRaises((ValueError, IndexError), msg=kind):
                texts_of(self.ask(kind)[0])
        self.assertLess(len(self.ask("short")[0]), 12)

    def test_forged_answers(self):
        self.assertNotEqual(self.ask("wrong_id")[0][:2], struct.pack("!H", 0x1234))
        self.assertIn(b"elsewhere", self.ask("wrong_question")[0])
        forged, right = self.ask("spoof_first", answers=2)
        self.assertEqual((texts_of(forged), texts_of(right)), ([f"did={self.mallory}"], self.right))

    def test_silence_and_lost_datagrams(self):
        self.settings(dns={"alice.test": "silence"})
        query = dns_query("_atproto.alice.test")
        with self.assertRaises(TimeoutError):
            over_udp(self.ready["dns"], query, timeout=0.05)
        self.settings(dns={"alice.test": {"answer": "right", "drop": 1}})
        with self.assertRaises(TimeoutError):
            over_udp(self.ready["dns"], query, timeout=0.05)
        self.assertEqual(texts_of(over_udp(self.ready["dns"], query)[0]), self.right)
        log = self.log()
        self.assertEqual([(r["method"], r["path"], r["description"]) for r in log["requests"]],
                         [("UDP", "/_atproto.alice.test", each) for each in ("silence", "silence", "right")])
        self.assertEqual((log["requests"][0]["origin"], log["violations"]), ("dns", []))
        self.server.control("reset")
        self.settings(dns={"alice.test": {"answer": "right", "drop": 1}})
        with self.assertRaises(TimeoutError):
            over_udp(self.ready["dns"], query, timeout=0.05)

    def test_what_a_resolver_must_not_send(self):
        name = "_atproto.alice.test"
        for wrong in [dns_query(name, flags=0), dns_query(name, flags=0x8100), dns_query(name, kind=1),
                      dns_query("alice.test"), dns_query(name) + b"x", dns_query(name)[:-3], b"x"]:
            self.assertEqual(self.rcode(over_udp(self.ready["dns"], wrong)[0]), 1)
        self.assertEqual(len(self.log()["violations"]), 7)
