"""The device flow: pending, too fast, approved, denied, expired."""

from .mini_client import CLIENT, DEVICE, StrictServerTest


class DeviceFlow(StrictServerTest):
    def start(self) -> dict:
        return self.client.post("/device_authorization", {"client_id": CLIENT, "scope": "notes"}, proof=False).json

    def poll(self, grant: dict):
        return self.client.post("/token", {"grant_type": DEVICE, "device_code": grant["device_code"],
                                           "client_id": CLIENT})

    def test_pending_then_approved_then_spent(self):
        self.settings(device_interval=0)
        grant = self.start()
        self.assertEqual(grant["verification_uri_complete"],
                         f"{self.client.issuer}/device?user_code={grant['user_code']}")
        self.assertError(self.poll(grant), "authorization_pending")
        self.settings(clients={CLIENT: {"redirect_uris": []}, "two": {"redirect_uris": []}})
        self.assertError(self.client.post("/token", {"grant_type": DEVICE, "device_code": grant["device_code"],
                                                     "client_id": "two"}), "invalid_grant")
        self.assertTrue(self.server.control("device", {"user_code": grant["user_code"]})["done"])
        answer = self.poll(grant)
        self.assertEqual((answer.status, answer.json["token_type"], answer.json["scope"]), (200, "DPoP", "notes"))
        self.assertError(self.poll(grant), "invalid_grant")

    def test_polling_too_fast_slows_down(self):
        self.settings(device_interval=None)
        grant = self.start()
        self.assertNotIn("interval", grant)
        self.assertError(self.poll(grant), "authorization_pending")
        self.assertError(self.poll(grant), "slow_down")
        self.assertEqual(self.counts()["slow_downs"], 1)

    def test_denied_and_expired(self):
        for action, error in [("deny", "access_denied"), ("expire", "expired_token")]:
            grant = self.start()
            self.server.control("device", {"action": action})
            self.assertError(self.poll(grant), error)
        grant = self.start()
        self.settings(clock_offset=601, iat_window=1000)
        self.assertError(self.poll(grant), "expired_token")

    def test_approved_by_itself_after_some_polls(self):
        self.settings(device_interval=0, device_approve_after=2)
        grant = self.start()
        self.assertEqual([self.poll(grant).status for _ in range(3)], [400, 400, 200])

    def test_nobody_to_approve(self):
        self.assertFalse(self.server.control("device", {})["done"])
