import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `acct token --id`.
@Suite("The printed ID token")
struct PrintedIDTokenTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }
  private var renewals: Int { server.forms("/token").count { $0["grant_type"] == "refresh_token" } }

  /// Signs in with an ID token of this life, at the time 1 800 000 000, and an access token of ten hours.
  private func signIn(life: Int64) async {
    server.set {
      $0.answer["expires_in"] = 36_000
      $0.claims?["iat"] = .number(JSONNumber(record.now))
      $0.claims?["exp"] = .number(JSONNumber(record.now + life))
    }
    #expect(await server.add() == 0, "\(record.err)")
  }

  /// Lets the server's next ID token live this long from now.
  private func renewTo(life: Int64) {
    server.set {
      $0.claims?["iat"] = .number(JSONNumber(record.now))
      $0.claims?["exp"] = .number(JSONNumber(record.now + life))
    }
  }

  private func id(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(["token", "--id"] + options)
  }

  @Test("An ID token with more than 5 minutes left is printed, and the server is not asked")
  func stored() async {
    await signIn(life: 3600)
    record.now += 3299
    #expect(await id() == 0, "\(record.err)")
    #expect(record.out.split(separator: ".").count == 3)
    #expect(record.err.isEmpty)
    #expect(renewals == 0)
  }

  @Test(
    "An ID token is renewed at 5 minutes, at a third of a life under 15, and at --min-valid",
    arguments: [
      (3600, 3300, [], 1), (3600, 3299, [], 0), (400, 267, [], 1), (400, 266, [], 0),
      (3600, 10, ["--min-valid", "3590"], 1), (3600, 9, ["--min-valid", "3590"], 0),
      (3600, 3590, ["--min-valid", "9"], 0),
    ] as [(Int64, Int64, [String], Int)]
  )
  func due(life: Int64, after: Int64, options: [String], renewed: Int) async {
    await signIn(life: life)
    record.now += after
    renewTo(life: 7200)
    record.clear()
    #expect(await record.run(["token", "--id", "--json"] + options) == 0, "\(record.err)")
    #expect(renewals == renewed)
    let object = record.json?.objectValue
    #expect(object?["tokenType"] == "id_token")
    #expect(object?["accountName"] == "alice@as.example")
    let end = Timestamp(clamped: renewed == 1 ? record.now + 7200 : 1_800_000_000 + life)
    #expect(object?["expiresAt"] == .string(end.description))
  }

  @Test("A server that sends none with a renewal: the old one is used to its end with a notice, then exit 4 says so")
  func none() async {
    await signIn(life: 3600)
    server.set { $0.claims = nil }
    record.now += 3400
    #expect(await id() == 0, "\(record.err)")
    #expect(
      record.err == [
        "acct: the server sent no new ID token for alice@as.example, and this one is used for the 3 min 20 s it has left"
      ]
    )
    #expect(renewals == 1)
    record.now += 30
    #expect(await id() == 0, "\(record.err)")
    #expect(renewals == 1, "a server that has just sent none is not asked again")
    record.now += 170
    #expect(await id() == 4)
    #expect(
      record.err == [
        "acct: alice@as.example has no ID token that is still valid, and its server sends none with a renewal",
        "acct: hint: sign in again with `acct login alice@as.example`",
      ]
    )
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
  }

  @Test("A renewal that fails leaves the ID token in use until it ends")
  func failure() async {
    await signIn(life: 3600)
    server.set { $0.client = "another" }
    record.now += 3400
    #expect(await id() == 0, "\(record.err)")
    #expect(record.err.first?.contains("could not be renewed") == true, "\(record.err)")
    record.now += 200
    // The same refusal, more than a minute later, is the end of the session.
    #expect(await id() == 4, "\(record.err)")
    #expect(await id("--offline") == 4)
  }

  @Test("An ended session prints none")
  func ended() async {
    await signIn(life: 3600)
    server.record.serve { request throws(HTTPFailure) in
      request.url.path == RecordedServer.place
        ? .json(
          #"""
          {"issuer":"https://as.example","token_endpoint":"https://as.example/token",
           "authorization_endpoint":"https://as.example/a"}
          """#
        ) : .json(#"{"error":"invalid_grant"}"#, 400)
    }
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(await id() == 4)
  }

  @Test("Options of another token, and an account without a person's sign-in at a server, are usage errors")
  func usage() async {
    await signIn(life: 3600)
    for options in [["--sasl", "xoauth2", "--user", "a"], ["--audience", "x"], ["--scope", "x"]] {
      #expect(await record.run(["token", "--id"] + options) == 64, "\(options)")
    }
    record.secretFiles["t"] = "static-token-long-enough"
    #expect(await record.acct("add", "--token", "t", "--allow-origin", "https://s.example", "--name", "s") == 0)
    #expect(await record.acct("token", "--id", "--account", "s") == 64)
    #expect(record.err.first?.hasPrefix("acct: s has no ID token: ") == true, "\(record.err)")
  }
}
