import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

extension StateTableTests {
  /// The situations.
  static let rows = [
    Row(testDescription: "a valid token", known: .valid) { #expect(await $0.addRenewable()) },
    Row(testDescription: "a token that is due", known: .due) { record in
      #expect(await record.addRenewable())
      record.now += 3540
      _ = RotatingServer(
        record,
        "r1",
        [(.json(#"{"access_token":"t2","token_type":"Bearer","expires_in":3600}"#), "r1")]
      )
    },
    Row(
      testDescription: "a session that the server has ended",
      known: .ended,
      status: 4,
      header: 4,
      doctor: ["signInRequired"],
      event: "renewalRefused"
    ) { record in
      #expect(await record.addRenewable())
      record.now += 3600
      _ = RotatingServer(record, "other", [])
      #expect(await record.acct("refresh") == 4)
    },
    Row(testDescription: "a renewal that was refused once", known: .due, header: 11, event: "renewalRefused") {
      record in
      #expect(await record.addRenewable())
      record.now += 3600
      let refusal = HTTPResponse.json(#"{"error":"device_removed"}"#, 403)
      _ = RotatingServer(record, "r1", [(refusal, "r1"), (refusal, "r1"), (refusal, "r1")])
      #expect(await record.acct("refresh") == 11)
    },
    Row(testDescription: "a token of a clock that was ahead", known: .due) { record in
      record.now += 80 * 365 * 86_400
      #expect(await record.addRenewable())
      record.now -= 80 * 365 * 86_400
      _ = RotatingServer(
        record,
        "r1",
        [(.json(#"{"access_token":"t2","token_type":"Bearer","expires_in":3600}"#), "r1")]
      )
    },
    Row(
      testDescription: "a session that ends in 23 hours",
      known: .valid,
      doctor: ["sessionEnds"],
      notice: "sign in again within 23 h, with `acct login bob.example.com`: after that the server ends the session"
    ) { record in
      #expect(await record.addRenewable())
      try record.setSessionEnd("2027-01-16T07:00:00Z")
    },
    Row(
      testDescription: "a session past its end",
      known: .expired,
      status: 4,
      header: 4,
      doctor: ["signInRequired"]
    ) { record in
      #expect(await record.addRenewable())
      try record.setSessionEnd("2027-01-16T07:00:00Z")
      record.now += 86_400
      _ = RotatingServer(record, "other", [])
    },
    Row(
      testDescription: "a locked keyring",
      known: .valid,
      asked: .locked,
      status: 6,
      header: 6,
      doctor: ["keyringLocked"],
      keyring: "locked"
    ) { record in
      #expect(await record.addRenewable())
      record.keyring.lock()
    },
    Row(
      testDescription: "a keyring that is away",
      known: .valid,
      asked: .unavailable,
      status: 7,
      header: 7,
      doctor: ["itemsUnknown", "keyringUnavailable"],
      keyring: "unavailable"
    ) { record in
      #expect(await record.addRenewable())
      record.keyring.fail(with: .unavailable(reason: "made up"))
    },
    Row(
      testDescription: "a token that another program removed",
      known: .valid,
      asked: .signedOut,
      status: 4,
      header: 4,
      doctor: ["missingItem"]
    ) { record in
      #expect(await record.addRenewable())
      try await record.keyring.lose()
    },
    Row(testDescription: "a guest", known: .valid) { #expect(await $0.addGuest() == 0) },
    Row(
      testDescription: "a guest whose session is over",
      known: .expired,
      status: 4,
      header: 4,
      doctor: ["signInRequired"]
    ) { record in
      #expect(await record.addGuest() == 0)
      record.now += 900
    },
    Row(
      testDescription: "a static token past its end",
      known: .expired,
      status: 4,
      header: 4,
      doctor: ["signInRequired"]
    ) { record in
      #expect(await record.addToken(StaticTokens.token, at: StaticTokens.origin, "--expires", "2027-01-16") == 0)
      record.now += 2 * 86_400
    },
  ]
}
