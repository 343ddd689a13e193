import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A server that names another user later than at the sign-in (OpenID Connect Core 1.0, sections 5.3.2 and 12.2).
@Suite("Another user")
struct OtherUserTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  private func status() async -> JSONObject? {
    record.clear()
    _ = await record.acct("status", "--json")
    return record.json?.objectValue?["account"]?.objectValue
  }

  @Test("An ID token of another user ends a renewal with 11, and none of the new tokens is stored")
  func renewal() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["sub"] = "mallory" }
    #expect(await record.acct("refresh", "--force") == 11, "\(record.err)")
    #expect(
      record.err == [
        "acct: https://as.example renewed the tokens for mallory instead of alice",
        "acct: hint: sign in again with `acct login alice@as.example`; none of the new tokens was stored",
      ]
    )
    let account = await status()
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"] == "the server renewed the tokens for mallory instead of alice")
    let items = record.keyring.items.values.flatMap(\.values)
    #expect(!items.isEmpty)
    #expect(!items.contains { RowServer.text($0).contains("-2-long-enough") })
  }

  @Test("The token from before is used to its end, with a notice, and is not renewed")
  func toItsEnd() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["sub"] = "mallory" }
    #expect(await record.acct("refresh", "--force") == 11)
    let asked = server.forms("/token").count
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
    #expect(record.err.first?.contains("sign in again") == true, "\(record.err)")
    #expect(await record.acct("status") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 4)
    record.now += 3601
    #expect(await record.acct("header", "https://as.example/x") == 4)
    #expect(await record.acct("status") == 4)
    #expect(server.forms("/token").count == asked)
    // A sign-in of the same user ends it.
    server.set { $0.claims?["sub"] = "alice" }
    server.set { $0.claims?["exp"] = 1_800_007_200 }
    #expect(await server.add() == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    #expect(record.err.isEmpty)
  }

  @Test("An ID token of another issuer ends a renewal with 11, whatever its subject")
  func otherIssuer() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["iss"] = "https://evil.example" }
    #expect(await record.acct("refresh", "--force") == 11, "\(record.err)")
    #expect(
      record.err.first
        == "acct: https://as.example renewed the tokens for https://evil.example alice instead of "
        + "https://as.example alice"
    )
    #expect(await status()?["state"] == "reauthRequired")
  }

  @Test("A user's name that repeats a secret is redacted in words and in the account's file")
  func echo() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["sub"] = "rt-1-long-enough" }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(
      record.err.first == "acct: https://as.example renewed the tokens for <redacted> instead of alice"
    )
    #expect(!record.filesText.contains("rt-1-long-enough"))
  }

  @Test("A user's name that repeats a token of the same answer is redacted in words and in the account's file")
  func echoOfAnswer() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set {
      $0.answer["access_token"] = "first-seen-in-this-answer"
      $0.claims?["sub"] = "first-seen-in-this-answer"
    }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(
      record.err.first == "acct: https://as.example renewed the tokens for <redacted> instead of alice",
      "\(record.err)"
    )
    #expect(!record.filesText.contains("first-seen-in-this-answer"))
  }

  @Test("A renewal's ID token needs no nonce, and a renewal needs no ID token")
  func withoutNonce() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["nonce"] = nil }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    server.set { $0.claims = nil }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
  }

  @Test("The user of the ID token may have another name in the access token")
  func pairwise() async {
    let token = idToken(#"{"sub":"of-the-token","exp":1800003600}"#)
    server.set { $0.answer["access_token"] = .string(token) }
    #expect(await server.add() == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    server.set { $0.claims?["sub"] = "mallory" }
    #expect(await record.acct("refresh", "--force") == 11, "\(record.err)")
  }

  @Test("A userinfo of another user than the ID token's ends a sign-in with 11")
  func signIn() async {
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","scope":"openid"}"#
    server.set { $0.userinfo = .json(#"{"sub":"mallory","preferred_username":"mallory"}"#) }
    #expect(await server.addAcme() == 11, "\(record.err)")
    #expect(
      record.err.contains("acct: the userinfo of https://as.example is about mallory instead of alice"),
      "\(record.err)"
    )
    #expect(record.accountFiles == 0)
    #expect(record.keyring.items.isEmpty)
  }

  @Test("A userinfo of another user ends a check with 11, and the account's session")
  func check() async {
    #expect(await server.add() == 0, "\(record.err)")
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    server.set { $0.userinfo = .json(#"{"sub":"mallory"}"#) }
    #expect(await record.acct("status", "--check") == 11, "\(record.err)")
    #expect(record.out.contains("mallory instead of alice"), "\(record.out)")
    #expect(await status()?["state"] == "reauthRequired")
  }

  @Test("A token answer of the AT Protocol for another DID ends a renewal with 11")
  func atProto() async throws {
    let did = "did:plc:alicetestaccountaaaaaaaa"
    record.provide(
      "in",
      """
      {"accessToken":"at-old-long-enough","refreshToken":"rt-old-long-enough","tokenType":"Bearer",
       "did":"\(did)","issuer":"https://as.example","clientId":"client","pds":"https://pds.example",
       "expiresAt":"2027-01-15T08:30:00Z"}
      """
    )
    #expect(await record.acct("add", "--import", "in") == 0, "\(record.err)")
    server.set { settings in
      settings.claims = nil
      settings.answer = ["sub": .string(did)]
    }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    server.set { $0.answer = ["sub": "did:plc:mallorytestaccountaaaaaa"] }
    #expect(await record.acct("refresh", "--force") == 11, "\(record.err)")
    #expect(await status()?["state"] == "reauthRequired")
  }
}
