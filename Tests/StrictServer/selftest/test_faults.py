"""Each fault, as a client meets it, and what the server did or did not do before it."""

import http.client
import socket
import threading
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from .mini_client import StrictServerTest, send


class Faults(StrictServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.settings(as_nonce=False, rs_nonce=False)
        self.session = self.issue()

    def fault(self, kind: str, endpoint: str = "token", **more: object) -> None:
        self.server.control("faults", {"endpoint": endpoint, "kind": kind, **more})

    def refresh(self):
        return self.client.refresh(self.session["refresh_token"])

    def refreshes(self) -> int:
        return self.counts()["refreshes"]

    def test_statuses(self):
        for kind, status, retry in [("500", 500, None), ("503", 503, "7"), ("429", 429, "7"), ("empty_403", 403, None)]:
            self.fault(kind)
            answer = self.refresh()
            self.assertEqual((answer.status, answer.headers["Retry-After"], answer.body), (status, retry, b""))
        self.assertEqual(self.refreshes(), 0)
        self.assertEqual(self.refresh().status, 200)

    def test_reset_and_close(self):
        self.fault("reset")
        with self.assertRaises(ConnectionResetError) as caught:
            self.refresh()
        self.assertIs(caught.exception.__class__, ConnectionResetError)  # its subclass stands for a mere close
        self.fault("close")
        with self.assertRaises(http.client.RemoteDisconnected):
            self.refresh()
        self.assertEqual(self.refreshes(), 0)

    def test_an_answer_lost_after_the_refresh_took_effect(self):
        self.fault("lost")
        with self.assertRaises(ConnectionResetError):
            self.refresh()
        self.assertEqual(self.refreshes(), 1)
        self.assertError(self.refresh(), "invalid_grant")
        self.assertEqual(self.counts()["replays"], 1)

    def held(self, **fault: object) -> threading.Thread:
        self.fault(**fault)
        self.answers: list = []

        def run() -> None:
            try:
                self.answers.append(self.refresh().status)
            except http.client.HTTPException as error:
                self.answers.append(type(error).__name__)

        thread = threading.Thread(target=run)
        thread.start()
        self.assertTrue(self.server.control("wait", {"held": 1})["reached"])
        return thread

    def test_held_before_and_after_processing(self):
        for process in (False, True):
            thread = self.held(kind="delay", process=process)
            self.assertEqual(self.refreshes(), int(process))
            self.server.control("release")
            thread.join()
            self.assertEqual(self.answers, [200])
            self.assertEqual(self.refreshes(), 1)
            self.server.control("reset")
            self.settings(as_nonce=False)
            self.session = self.issue()

    def test_a_hang_ends_without_an_answer(self):
        thread = self.held(kind="hang")
        self.server.control("release")
        thread.join()
        self.assertEqual((self.answers, self.refreshes()), (["RemoteDisconnected"], 0))

    def test_a_delay_in_milliseconds(self):
        self.fault("delay", ms=100)
        started = time.monotonic()
        self.assertEqual(self.refresh().status, 200)
        self.assertGreaterEqual(time.monotonic() - started, 0.1)

    def test_bodies_that_are_not_what_they_should_be(self):
        self.fault("html")
        answer = self.refresh()
        self.assertEqual((answer.status, answer.headers.get_content_type()), (200, "text/html"))
        self.fault("truncated")
        with self.assertRaises(ValueError):
            self.refresh().json
        self.fault("truncated", short=True)
        with self.assertRaises(http.client.IncompleteRead):
            self.refresh()
        self.assertEqual(self.refreshes(), 0)
        self.fault("truncated", process=True)
        self.assertNotIn(b"}", self.refresh().body)
        self.assertEqual(self.refreshes(), 1)

    def test_an_endless_body_stops_when_the_client_leaves(self):
        self.fault("endless")
        parts = urlsplit(self.client.issuer)
        connection = http.client.HTTPConnection(parts.netloc)
        connection.request("POST", "/token", b"")
        answer = connection.getresponse()
        self.assertEqual(len(answer.read(1 << 20)), 1 << 20)
        answer.close()
        connection.close()
        self.assertGreater(self.server.control("log")["requests"][-1]["bytes_streamed"], 0)

    def test_redirects_elsewhere_are_recorded_there(self):
        self.fault("redirect", status=308)
        answer = self.refresh()
        self.assertEqual((answer.status, answer.headers["Location"]), (308, self.server.ready["elsewhere"] + "/token"))
        send("POST", answer.headers["Location"], self.session["refresh_token"].encode(), [("DPoP", "x.y.z")])
        record = self.server.control("log")["misplaced"][0]
        self.assertEqual((record["origin"], record["misplaced"]), ("elsewhere", ["proof", "refresh_token"]))

    def test_errors_that_the_server_does_not_mean(self):
        for kind in ("invalid_grant", "invalid_code"):
            self.fault(kind)
            self.assertError(self.refresh(), kind)
        self.fault("error", error="slow_down", status=403)
        self.assertError(self.refresh(), "slow_down", 403)
        self.assertEqual(self.refresh().status, 200)

    def test_nonce_challenges_without_end(self):
        self.settings(as_nonce=True, rs_nonce=True)
        self.fault("nonce_challenge", count=None)
        self.fault("nonce_challenge", "resource", count=None)
        answer = self.refresh()
        self.assertError(answer, "use_dpop_nonce")
        self.assertIn("DPoP-Nonce", answer.headers)
        answer = self.client.get_resource(self.session["access_token"])
        self.assertError(answer, "use_dpop_nonce", 401)
        self.assertIn("use_dpop_nonce", answer.headers["WWW-Authenticate"])

    def test_mislabelled(self):
        self.fault("mislabelled")
        answer = self.refresh()
        self.assertEqual(answer.headers["Content-Type"], "text/html")
        self.assertIn("access_token", answer.json)

    def test_dates(self):
        self.fault("date", offset=-3600)
        date = parsedate_to_datetime(self.refresh().headers["Date"]).timestamp()
        self.assertAlmostEqual(date, time.time() - 3600, delta=60)
        self.settings(clock_offset=3600)
        date = parsedate_to_datetime(self.refresh().headers["Date"]).timestamp()
        self.assertAlmostEqual(date, time.time() + 3600, delta=60)

    def test_a_kept_connection_that_is_gone(self):
        self.fault("close_after", "resource")
        parts = urlsplit(self.client.resource)
        connection = http.client.HTTPConnection(parts.netloc)
        connection.request("GET", "/resource")
        answer = connection.getresponse()
        answer.read()
        self.assertNotIn("Connection", answer.headers)
        with self.assertRaises((http.client.RemoteDisconnected, ConnectionError)):
            connection.request("GET", "/resource")
            connection.getresponse()
        connection.close()

    def test_which_requests_a_fault_meets(self):
        self.fault("500", skip=1, count=2, grant_type="refresh_token")
        statuses = []
        for _ in range(4):
            answer = self.refresh()
            statuses.append(answer.status)
            if answer.status == 200:
                self.session = answer.json
        self.assertEqual(statuses, [200, 500, 500, 200])
        self.assertEqual(self.server.control("faults", method="GET")[0]["hits"], 2)
        self.fault("500", "*", count=None)
        self.assertEqual(send("GET", self.client.resource + "/resource").status, 500)
        self.assertEqual(self.server.control("faults", method="DELETE"), [])

    def test_a_mistaken_fault_is_refused(self):
        for wrong in [{"endpoint": "tokens", "kind": "500"}, {"endpoint": "token", "kind": "x"},
                      {"endpoint": "token", "kind": "500", "counts": 1}]:
            with self.assertRaises(ValueError):
                self.server.control("faults", wrong)


class Wire(StrictServerTest):
    def test_what_is_not_http(self):
        parts = urlsplit(self.client.issuer)
        for wrong in [b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"nonsense\r\n\r\n"]:
            with socket.create_connection((parts.hostname, parts.port)) as connection:
                connection.sendall(wrong)
                self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 400"))
