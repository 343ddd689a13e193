"""The server as a process: many clients at once, its log, its end, and the stand-in for the browser."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from .mini_client import CLIENT, FOLDER, Server, StrictServerTest


class Crowd(StrictServerTest):
    def test_a_hundred_refreshes_at_once_make_one_and_a_replay_ends_the_session(self):
        session, gate, results = self.issue(), threading.Barrier(100), []
        self.settings(as_nonce=False)

        def run() -> None:
            gate.wait()
            results.append(self.client.refresh(session["refresh_token"]).status)

        threads = [threading.Thread(target=run) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((results.count(200), results.count(400)), (1, 99))
        counts = self.counts()
        self.assertEqual((counts["refreshes"], counts["replays"], counts["sessions_ended"]), (1, 99, 1))


class Idleness(StrictServerTest):
    def test_the_server_is_idle_when_the_last_connection_has_gone(self):
        parts = urlsplit(self.server.ready["issuer"])
        with socket.create_connection((parts.hostname, parts.port)):
            self.assertFalse(self.server.control("wait", {"idle": True, "timeout": 0})["reached"])
        self.assertTrue(self.server.control("wait", {"idle": True})["reached"])


class Log(StrictServerTest):
    def test_the_log_tells_everything_but_secrets(self):
        session = self.issue()
        self.client.refresh(session["refresh_token"])
        self.client.get_resource(session["access_token"])
        log = self.server.control("log")
        self.assertEqual([(r["origin"], r["endpoint"], r["status"]) for r in log["requests"]],
                         [("as", "token", 400), ("as", "token", 200), ("rs", "resource", 401), ("rs", "resource", 200)])
        first, second = log["requests"][:2]
        self.assertEqual(first["refresh_token"], second["refresh_token"])
        self.assertNotEqual(first["proof"]["jti"], second["proof"]["jti"])
        self.assertEqual((second["dpop"], second["authorization"]), (True, None))
        self.assertEqual(log["requests"][3]["authorization"], "DPoP")
        self.assertEqual(log["sessions"][0]["refreshes"], 1)
        text = json.dumps(log)
        for secret in (session["refresh_token"], session["access_token"]):
            self.assertNotIn(secret, text)
        self.assertEqual(len(self.server.control(f"log?since={first['seq']}")["requests"]), 3)

    def test_secrets_are_found_wherever_they_stray(self):
        session = self.issue()
        self.client.get_resource(session["refresh_token"])
        self.client.post("/par", {"client_id": CLIENT, "state": session["access_token"]}, proof=False)
        found = [r["misplaced"] for r in self.server.control("log")["misplaced"]]
        self.assertEqual(found, [["refresh_token"], ["access_token"]])

    def test_waiting_for_requests_and_waiting_in_vain(self):
        self.client.get_resource("x")
        self.assertTrue(self.server.control("wait", {"endpoint": "resource"})["reached"])
        self.assertFalse(self.server.control("wait", {"endpoint": "token", "timeout": 0})["reached"])

    def test_unknown_settings_and_commands_are_refused(self):
        for command in ("settings", "nothing"):
            with self.assertRaises(ValueError):
                self.server.control(command, {"nothing": 1})


class Ending(StrictServerTest):
    def test_it_ends_when_its_stdin_closes_even_while_it_holds_a_request(self):
        server = Server("--settings", '{"lifetime": 7}')
        server.control("faults", {"endpoint": "resource", "kind": "hang"})

        def ask() -> None:
            subprocess.run([sys.executable, "-c", "import sys, urllib.request as u; u.urlopen(sys.argv[1])",
                            server.ready["resource"] + "/resource"], stderr=subprocess.DEVNULL, check=False)

        thread = threading.Thread(target=ask)
        thread.start()
        self.assertTrue(server.control("wait", {"held": 1})["reached"])
        self.assertEqual(server.stop(), 0)
        thread.join()


class Browser(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        received = self.received = []

        class Listener(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                received.append((urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        listener = HTTPServer(("127.0.0.1", 0), Listener)
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(listener.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(listener.shutdown)
        redirect = f"http://127.0.0.1:{listener.server_address[1]}/callback"
        self.form, _ = self.client.authorization(redirect_uri=redirect)
        request_uri = self.client.post("/par", self.form, proof=False).json["request_uri"]
        self.url = f"{self.client.issuer}/authorize?" + urlencode({"client_id": CLIENT, "request_uri": request_uri})

    def browse(self, mood: str, **environment: str) -> int:
        run = subprocess.run([FOLDER / "browser.py", self.url], check=False, stderr=subprocess.DEVNULL,
                             env={**os.environ, "STRICT_BROWSER": mood, **environment})
        return run.returncode

    def test_approve(self):
        self.assertEqual(self.browse("approve"), 0)
        path, answer = self.received[0]
        self.assertEqual((path, answer["state"], answer["iss"]), ("/callback", self.form["state"], self.client.issuer))
        self.assertIn("code", answer)

    def test_deny(self):
        self.browse("deny")
        self.assertEqual(self.received[0][1]["error"], "access_denied")

    def test_wrong_state_first(self):
        self.browse("wrong-state-first")
        self.assertEqual([a["state"] == self.form["state"] for _, a in self.received], [False, True])

    def test_wrong_and_missing_iss(self):
        self.browse("wrong-iss")
        self.assertEqual(self.received[0][1]["iss"], "https://attacker.example")

    def test_missing_iss(self):
        self.browse("missing-iss")
        self.assertNotIn("iss", self.received[0][1])

    def test_another_path_first(self):
        self.browse("wrong-path-first")
        self.assertEqual([path for path, _ in self.received], ["/favicon.ico", "/callback"])

    def test_nothing_and_failure(self):
        self.assertEqual((self.browse("nothing"), self.browse("fail")), (0, 1))
        self.assertEqual(self.received, [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "url"
            self.browse("write", STRICT_BROWSER_FILE=str(file))
            self.assertEqual(file.read_text(), self.url + "\n")
            self.browse("write-callback", STRICT_BROWSER_FILE=str(file))
            self.assertIn("/callback?code=", file.read_text())
        self.assertEqual(self.received, [])
