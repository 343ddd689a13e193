import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// What servers do to tokens after a sign-in.
@Suite("A token")
struct TokenLifeTests {
  private let record = RecordedWorld()

  @Test("A token of a minute is used until a third of it is left, and then renewed")
  func shortLived() async {
    let server = RecordedServer(
      record,
      tokens: RecordedServer.tokens("a", ["expires_in": 60]),
      RecordedServer.tokens("b", ["expires_in": 60])
    )
    #expect(await record.addDevice() == 0)
    record.now += 39
    #expect(await record.acct("token") == 0)
    #expect(record.out == "at-a-long-enough\n")
    record.now += 1
    #expect(await record.acct("token") == 0)
    #expect(record.out == "at-b-long-enough\n")
    #expect(server.bodies("/token").count == 2)
  }

  @Test("A token with less time than header --min-valid demands is renewed first")
  func minimum() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(await record.addDevice() == 0)
    #expect(await record.acct("header", "--min-valid", "3599") == 0)
    #expect(record.out == "Authorization: Bearer at-a-long-enough\n")
    #expect(await record.acct("header", "--min-valid", "3600") == 0)
    #expect(record.out == "Authorization: Bearer at-b-long-enough\n")
    #expect(await record.acct("header", "--min-valid", "-1") == 64)
  }

  @Test("A Bearer token in the renewal of a bound account is an error, and only its refresh token is stored")
  func type() async {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("b"))
    let kept = record.keyring.items.values.first?[.accessToken]
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.first?.contains("a token of type Bearer") == true, "\(record.err)")
    #expect(record.keyring.items.values.first?[.accessToken] == kept)
    #expect(record.accountFile?["tokenType"] == "DPoP")
    server.set("/token", RecordedServer.tokens("c", ["token_type": "dpop"]))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
  }

  @Test("A renewal without an answer says that the session may have ended")
  func lostAnswer() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0)
    let metadata = RecordedServer.metadata()
    // A call that reaches no server leaves open what became of the one before.
    for (failure, isOpen) in [
      (HTTPFailure.unreachable(reason: "refused"), false), (.closed, true), (.timedOut, true),
      (.unreachable(reason: "refused"), true),
    ] {
      record.serve { request throws(HTTPFailure) in
        guard request.url.path == "/token" else { return metadata }
        throw failure
      }
      #expect(await record.acct("refresh", "--force") == 10)
      #expect(record.err.joined().contains("then it has ended") == isOpen, "\(record.err)")
      #expect(record.err.joined().contains("nothing was wrong") != isOpen, "\(record.err)")
    }
  }

  @Test("A renewal that its server fails says that the session is kept and may have been replaced")
  func failedRenewal() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0)
    server.set("/token", .json("{}", 503))
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(
      record.err == [
        "acct: https://as.example failed with 503 during a renewal",
        "acct: hint: the stored session is kept; try again later to find out whether the server has replaced it",
      ]
    )
    server.set("/token", .json("{}", 500, ("Retry-After", "7")))
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.last?.hasPrefix("acct: hint: try again in 7 s, at ") == true)
    #expect(
      record.err.last?.hasSuffix("; the next try finds out whether the server has replaced it") == true,
      "\(record.err)"
    )
  }

  @Test("An error in a 200 ends a session by the words for that alone")
  func errorWith200() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0)
    server.set("/token", .json(#"{"error":"temporarily_unavailable"}"#))
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.first?.contains("refused (200): temporarily_unavailable") == true, "\(record.err)")
    #expect(await record.acct("token") == 0)
    server.set("/token", .json(#"{"error":"invalid_grant","error_description":"revoked"}"#))
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(await record.acct("token") == 4)
  }

  @Test("The check of a token asks userinfo, and once more after a renewal")
  func userinfo() async {
    let server = RecordedServer(
      record,
      metadata: ["userinfo_endpoint": "https://as.example/userinfo"],
      tokens: RecordedServer.tokens("a", ["scope": "openid"]),
      RecordedServer.tokens("b", ["scope": "openid"])
    )
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 0)
    server.set("/userinfo", .json(#"{"sub":"alice"}"#))
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/userinfo") == ["Bearer at-a-long-enough"])
    server.set("/userinfo", .json("{}", 401), .json(#"{"sub":"alice"}"#))
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/userinfo").last == "Bearer at-b-long-enough")
    // The server has renewed the session a moment before: userinfo is not for this token.
    server.set("/userinfo", .json("{}", 401))
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
  }

  @Test("A person whom userinfo names by a number is compared, too")
  func numericSubject() async {
    let server = RecordedServer(
      record,
      metadata: ["userinfo_endpoint": "https://as.example/userinfo"],
      tokens: RecordedServer.tokens("a", ["scope": "openid", "sub": .null])
    )
    server.set("/userinfo", .json(#"{"sub":5}"#))
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 0, "\(record.err)")
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    server.set("/userinfo", .json(#"{"sub":6}"#))
    #expect(await record.acct("status", "--check") == 11, "\(record.err)")
    #expect(record.out.contains("userinfo is about 6 instead of 5"), "\(record.out)")
  }

  @Test(
    "The check of a token asks introspection where the client may",
    arguments: [
      (HTTPResponse.json(#"{"active":true}"#), 0), (.json(#"{"active":false}"#), 4),
      (.json(#"{"error":"invalid_client"}"#, 401), 0), (.json("{}", 503), 11),
    ] as [(HTTPResponse, Int32)]
  )
  func introspection(answer: HTTPResponse, status: Int32) async {
    let server = RecordedServer(
      record,
      metadata: ["introspection_endpoint": "https://as.example/introspect"],
      tokens: RecordedServer.tokens("a", ["refresh_token": nil])
    )
    #expect(await record.addDevice() == 0)
    server.set("/introspect", answer)
    #expect(await record.acct("status", "--check") == status, "\(record.err) \(record.out)")
    #expect(
      server.bodies("/introspect").last == "token=at-a-long-enough&token_type_hint=access_token&client_id=client"
    )
  }
}
