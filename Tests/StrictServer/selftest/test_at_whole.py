"""The network as a process: its line, its control API over both houses, its end, and the stand-in for the browser."""

import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

from .at_client import FOLDER, Network, NetworkTest


class Whole(NetworkTest):
    def test_the_line_names_everything(self):
        self.assertLessEqual({"issuer", "issuer2", "pds", "pds2", "plc", "web", "dns", "client_id", "elsewhere",
                              "control", "accounts", "pid"}, set(self.ready))
        self.assertEqual(list(self.ready["accounts"]), ["alice.test", "bob.test", "carol.test", "mallory.test"])

    def test_sessions_of_both_houses_are_issued_counted_and_ended(self):
        issued = [self.issue(account=handle) for handle in ("alice.test", "carol.test")]
        self.assertEqual([(i["did"], i["handle"], i["pds"], i["issuer"]) for i in issued],
                         [(self.alice, "alice.test", self.ready["pds"], self.ready["issuer"]),
                          (self.carol, "carol.test", self.ready["pds2"], self.ready["issuer2"])])
        self.assertEqual(self.server.control("end", {"sub": self.carol}), {"ended": 1})
        log = self.log()
        self.assertEqual([s["ended"] for s in log["sessions"]], [None, "ended by a test"])
        self.assertEqual(log["counts"]["sessions_ended"], 1)
        for secret in (issued[0]["refresh_token"], issued[1]["access_token"]):
            self.assertNotIn(secret, json.dumps(log))
        self.server.control("reset")
        self.assertEqual(self.log()["sessions"], [])

    def test_faults_and_waiting_work_across_the_network(self):
        session = self.issue()
        self.server.control("faults", {"endpoint": "token", "kind": "503"})
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 503)
        self.assertTrue(self.server.control("wait", {"endpoint": "token"})["reached"])
        self.assertEqual(self.client.refresh(session["refresh_token"]).status, 200)
        self.server.control("rotate-nonces")
        for command in ("device", "nothing"):
            with self.assertRaises(ValueError):
                self.server.control(command, {})
        for wrong in ({"account": "nobody.test"}, {"accountt": 1}):
            with self.assertRaises(ValueError):
                self.server.control("issue", wrong)

    def test_it_ends_when_its_stdin_closes(self):
        network = Network("--settings", '{"lifetime": 7, "accounts": {"alice.test": {"status": 410}}}')
        self.assertEqual(network.control("settings")["lifetime"], 7)
        network.control("settings", {"lifetime": 8, "accounts": {}})
        network.control("reset")
        self.assertEqual(network.control("settings")["accounts"], {"alice.test": {"status": 410}})
        self.assertEqual(network.stop(), 0)


class Browser(NetworkTest):
    def test_the_stand_in_signs_in_by_the_loopback_listener(self):
        received = []

        class Listener(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                received.append(dict(parse_qsl(urlsplit(self.path).query)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Listener) as listener:
            thread = threading.Thread(target=listener.handle_request)
            thread.start()
            pushed = self.client.par(redirect_uri=f"http://127.0.0.1:{listener.server_address[1]}/callback")
            url = f"{self.client.issuer}/oauth/authorize?" + urlencode(
                {"client_id": self.client.client_id, "request_uri": pushed.json["request_uri"]})
            subprocess.run([FOLDER / "browser.py", url], check=True, env={**os.environ, "STRICT_BROWSER": "approve"})
            thread.join()
        self.assertEqual(received[0]["iss"], self.ready["issuer"])
        self.assertEqual(self.client.redeem(received[0]["code"]).json["sub"], self.alice)
