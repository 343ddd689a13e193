import AcctModel
import AcctCLI
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A sign-in without a person")
struct DirectGrantTests {
  private let record = RecordedWorld()

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    record.secretFiles["secret"] = "s3cret"
    return await record.run(
      [
        "add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--client-secret-file",
        "secret", "--grant", "client-credentials",
      ] + options
    )
  }

  private func tokens(_ name: String, _ members: JSONObject = [:]) -> HTTPResponse {
    var all: JSONObject = ["refresh_token": .null, "sub": "service-account-uuid"]
    for (name, value) in members { all[name] = value }
    return RecordedServer.tokens(name, all)
  }

  @Test("Client credentials are an account named for the client, whose renewal is the grant itself")
  func clientCredentials() async throws {
    let server = RecordedServer(record, tokens: tokens("a"), tokens("b"))
    #expect(await add("--scope", "read", "--no-input") == 0, "\(record.err)")
    #expect(record.err.contains("acct: added robot@as.example"), "\(record.err)")
    #expect(record.accountFile?["canRenew"] == true)
    #expect(
      record.accountFile?["client"] == ["authentication": "basic", "grant": "clientCredentials"]
    )
    #expect(record.keyring.items.values.first?[.refreshToken] == nil)
    #expect(server.bodies("/token") == ["grant_type=client_credentials&scope=read"])
    #expect(server.fields("Authorization", "/token").allSatisfy { $0.hasPrefix("Basic ") })

    record.now += 3500
    record.clear()
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    #expect(record.out.contains("at-b-long-enough"))
    #expect(server.bodies("/token").count == 2)
    #expect(server.bodies("/token")[1] == server.bodies("/token")[0])
    for command in [["list"], ["status"], ["refresh"], ["refresh", "--force"], ["doctor"]] {
      #expect(await record.run(command) == 0, "\(command): \(record.err)")
    }
    // Once more with other words is the same account.
    #expect(await add("--scope", "write") == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(await record.acct("remove", "--local", "robot@as.example") == 0, "\(record.err)")
    #expect(record.keyring.count == 0)
  }

  @Test("A renewal of client credentials keeps no refresh token, and asks for the scope of the first time")
  func withoutRefreshToken() async {
    let given: JSONObject = ["refresh_token": "rt-unasked-for", "scope": "less"]
    let server = RecordedServer(record, tokens: tokens("a", given), tokens("b", given))
    #expect(await add("--scope", "more less") == 0, "\(record.err)")
    #expect(record.err.joined().contains("did not grant more"))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.hasSuffix("&scope=more%20less") == true)
    #expect(record.keyring.items.values.first?[.refreshToken] == nil)
  }

  @Test("A refused or lost renewal of client credentials ends nothing")
  func refusals() async {
    let server = RecordedServer(record, tokens: tokens("a"))
    #expect(await add() == 0, "\(record.err)")
    for (body, status, exit) in [
      (#"{"error":"invalid_grant"}"#, 400, 11), (#"{"error":"invalid_client"}"#, 401, 4), ("{}", 500, 11),
    ] as [(String, Int, Int32)] {
      server.set("/token", .json(body, status))
      record.clear()
      #expect(await record.acct("refresh", "--force") == exit, "\(record.err)")
      #expect(record.accountFile?["standing"] == "signedIn")
      #expect(record.accountFile?["renewalStartedAt"] == .null)
    }
    server.set("/token", tokens("b"))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
  }

  @Test("Client credentials need a secret or a key, and neither browser nor device")
  func usage() async {
    _ = RecordedServer(record, tokens: tokens("a"))
    let begin = ["add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--grant"]
    #expect(await record.run(begin + ["client-credentials"]) == 64)
    #expect(record.err.joined().contains("--client-secret-file"), "\(record.err)")
    for more in [
      ["client-credentials", "--device"], ["client-credentials", "--param", "a=b"],
      ["client-credentials", "--redirect-uri", "http://localhost"], ["jwt-bearer"], ["password"],
    ] {
      record.clear()
      #expect(await record.run(begin + more) == 64, "\(more): \(record.err)")
    }
  }

  @Test(
    "An assertion that is rejected by a server whose clock differs is made once more, with the server's time",
    arguments: [
      (["--grant", "client-credentials"], "client_assertion", "invalid_client"),
      (["--grant", "jwt-bearer"], "assertion", "invalid_grant"),
    ]
  )
  func clock(options: [String], name: String, code: String) async throws {
    record.secretFiles["key"] = MadeUpKeys.p256
    let begin = ["add", "--issuer", RecordedServer.issuer, "--client-id", "robot"]
    let refusal = #"{"error":"\#(code)"}"#
    let ahead = ("Date", "Fri, 15 Jan 2027 08:10:00 GMT")
    let server = RecordedServer(record, tokens: .json(refusal, 400, ahead), tokens("a"))
    #expect(await record.run(begin + options + ["--client-key", "key"]) == 0, "\(record.err)")
    let times = try server.bodies("/token").map {
      try Assertion(in: $0, named: name).claims["iat"]?.numberValue?.integer
    }
    #expect(times == [1_800_000_000, 1_800_000_600])
    // With the right time, it is rejected for another reason, in the next second, too. A clock that has been set
    // is known at once.
    let right = ("Date", "Fri, 15 Jan 2027 08:00:00 GMT")
    let later = ("Date", "Fri, 15 Jan 2027 08:10:01 GMT")
    // A client is asked about once more with another audience.
    let (more, status): (Int, Int32) = code == "invalid_client" ? (1, 4) : (0, 11)
    for (date, count) in [(ahead, 1), (later, 1), (ahead, 1), (right, 2), (right, 1)] {
      server.set("/token", .json(refusal, 400, date))
      let before = server.bodies("/token").count
      #expect(await record.acct("refresh", "--force") == status, "\(record.err)")
      #expect(server.bodies("/token").count == before + count + more)
    }
  }

  @Test("A service account's file is all that its sign-in needs")
  func serviceAccount() async throws {
    record.secretFiles["robot.json"] = MadeUpKeys.serviceAccount()
    let server = RecordedServer(record, ["/token": [tokens("a"), tokens("b")]])
    #expect(
      await record.run([
        "add", "--grant", "jwt-bearer", "--client-key", "robot.json", "--scope",
        "https://api.example/read", "--allow-origin", "https://api.example",
      ]) == 0,
      "\(record.err)"
    )
    #expect(record.err.contains("acct: added robot@project.example@as.example"), "\(record.err)")
    #expect(record.accountFile?["issuer"] == .null)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "https://api.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-b-long-enough\n")
    #expect(record.requests.allSatisfy { $0.url.path == "/token" })
    for body in server.bodies("/token") {
      #expect(body.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&"))
      #expect(!body.contains("client_id") && !body.contains("client_assertion"))
      let assertion = try Assertion(in: body, named: "assertion")
      #expect(assertion.isSigned(by: try ClientKey(pem: Secret(MadeUpKeys.rsa))))
      #expect(assertion.header == ["alg": "RS256", "typ": "JWT", "kid": "key-1"])
      #expect(assertion.claims["iss"] == "robot@project.example")
      #expect(assertion.claims["sub"] == nil)
      #expect(assertion.claims["aud"] == "https://as.example/token")
      #expect(assertion.claims["scope"] == "https://api.example/read")
    }
    #expect(
      await record.run(["add", "--grant", "jwt-bearer", "--client-key", "robot.json"]) == 0,
      "\(record.err)"
    )
    #expect(record.accountFiles == 1)
  }

  @Test("An assertion is sent once: a request that is repeated for its proof has another")
  func onceEach() async throws {
    record.secretFiles["key"] = MadeUpKeys.p256
    func wants(_ nonce: String) -> HTTPResponse { .json(#"{"error":"use_dpop_nonce"}"#, 400, ("DPoP-Nonce", nonce)) }
    let server = RecordedServer(
      record,
      metadata: ["dpop_signing_alg_values_supported": ["ES256"]],
      tokens: wants("one"),
      tokens("a", ["token_type": "DPoP"]),
      wants("two"),
      tokens("b", ["token_type": "DPoP"])
    )
    #expect(
      await record.run([
        "add", "--issuer", RecordedServer.issuer, "--client-id", "robot", "--grant", "jwt-bearer",
        "--client-key", "key", "--client-auth", "private-key", "--token-param", "tenant=t",
      ]) == 0,
      "\(record.err)"
    )
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    let bodies = server.bodies("/token")
    #expect(bodies.count == 4)
    var seen: [JSON?] = []
    for body in bodies {
      #expect(body.contains("&tenant=t"))
      for name in ["assertion", "client_assertion"] { seen.append(try Assertion(in: body, named: name).claims["jti"]) }
    }
    let texts = seen.compactMap { $0?.stringValue }
    #expect(texts.count == 8 && Set(texts).count == 8, "\(texts)")
  }

  @Test("An assertion says for whom it asks, as --token-param does, and else for its client")
  func subject() async throws {
    record.secretFiles["key"] = MadeUpKeys.p256
    let begin = [
      "add", "--token-url", "https://as.example/token", "--client-id", "robot", "--grant",
      "jwt-bearer", "--client-key", "key",
    ]
    let server = RecordedServer(record, ["/token": [tokens("a")]])
    #expect(await record.run(begin) == 0, "\(record.err)")
    #expect(
      await record.run(
        begin + [
          "--token-param", "sub=alice@example.com", "--token-param", "aud=https://login.example",
          "--token-param", "tenant=t",
        ]
      ) == 0,
      "\(record.err)"
    )
    #expect(record.accountFiles == 2)
    let bodies = server.bodies("/token")
    try #require(bodies.count == 2)
    #expect(try Assertion(in: bodies[0], named: "assertion").claims["sub"] == "robot")
    let other = try Assertion(in: bodies[1], named: "assertion").claims
    #expect(other["sub"] == "alice@example.com" && other["aud"] == "https://login.example")
    #expect(bodies[1].hasSuffix("&tenant=t") && !bodies[1].contains("sub="))
  }
}
