import AcctCLI
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct rotate")
struct RotateTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }
  private let name = "alice@as.example"

  private func rotate(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(["rotate"] + options)
  }

  private func header() async -> String {
    record.clear()
    #expect(await record.acct("header", "https://as.example/") == 0, "\(record.err)")
    return record.out
  }

  @Test("The new tokens are used, and the former access token is revoked after they are stored")
  func renewed() async {
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 0, "\(record.err)")
    #expect(record.err == ["acct: rotated alice@as.example"])
    #expect(server.forms("/revoke").map { $0["token"] } == ["at-1-long-enough"])
    #expect(server.forms("/revoke").map { $0["token_type_hint"] } == ["access_token"])
    #expect(server.renewals == ["rt-1-long-enough", "rt-2-long-enough"])
    #expect(await header() == "Authorization: Bearer at-3-long-enough\n")
    let kept = record.keyring.items.values.flatMap(\.values).map(\.shownText).joined(separator: " ")
    #expect(!kept.contains("-1-long-enough"), "a former token is kept")
  }

  @Test("A former token that the server goes on accepting is named, with its end")
  func ignored() async {
    server.set { $0.ignoresRevocation = true }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 4, "\(record.err)")
    #expect(
      record.err == [
        "acct: rotated alice@as.example",
        "acct: the server did not end the former access token of alice@as.example, which expires at 09:00: "
          + "it accepts the token after its revocation",
      ]
    )
    #expect(await header() == "Authorization: Bearer at-3-long-enough\n")
  }

  @Test("Without a revocation endpoint the former token is named, and the new one is kept")
  func noEndpoint() async {
    server.set {
      $0.metadata["revocation_endpoint"] = .null
      $0.userinfo = .json("{}", 404)
    }
    #expect(await server.add(scope: "mail") == 0, "\(record.err)")
    #expect(await rotate(name, "--json") == 4, "\(record.err)")
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue
    #expect(account?["result"] == "rotated")
    #expect(account?["needsSignIn"] == false)
    let left = account?["left"]?.arrayValue?.first?.objectValue
    #expect(left?["credential"] == "accessToken")
    #expect(left?["reason"] == "it has no revocation endpoint")
    #expect(server.renewals == ["rt-1-long-enough"])
    #expect(await header() == "Authorization: Bearer at-2-long-enough\n")
  }

  @Test("A server that fails at the revocation is named, and the new tokens are kept")
  func unavailable() async {
    server.set { $0.revocation = .json("{}", 503) }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 4, "\(record.err)")
    #expect(record.err.count == 2 && record.err[1].contains("503"), "\(record.err)")
    #expect(await header() == "Authorization: Bearer at-2-long-enough\n")
  }

  @Test("A failed renewal changes nothing, and nothing is revoked")
  func failed() async {
    #expect(await server.add() == 0)
    server.set { $0.renewalError = "temporarily_unavailable" }
    #expect(await rotate(name) != 0)
    #expect(server.forms("/revoke").isEmpty)
    #expect(await header() == "Authorization: Bearer at-1-long-enough\n")
  }

  @Test("A spent refresh token is not shown to the server again, unless its introspection reports it as active")
  func refreshToken() async {
    server.set { $0.active = ["at-1-long-enough", "rt-1-long-enough"] }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 0, "\(record.err)")
    #expect(server.forms("/revoke").map { $0["token"] } == ["at-1-long-enough", "rt-1-long-enough"])
    server.set { $0.active = [] }
    #expect(await rotate(name) == 0, "\(record.err)")
    #expect(server.forms("/revoke").count == 3)
    #expect(server.forms("/introspect").last?["token_type_hint"] == "refresh_token")
  }

  @Test("A refresh token that the server does not replace is named")
  func sameRefreshToken() async {
    server.set { $0.answer["refresh_token"] = "rt-always-long-enough" }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 4, "\(record.err)")
    #expect(
      record.err.last
        == "acct: the server did not end the former refresh token of alice@as.example: it sent no new one; "
        + "`acct login alice@as.example --end-former` ends it with its session",
      "\(record.err)"
    )
  }

  @Test("A server that ends the new session with the former token leads to a sign-in")
  func wholeSession() async {
    server.set { $0.endsSession = true }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 4, "\(record.err)")
    #expect(record.err.last == "acct: sign in again with `acct login alice@as.example`", "\(record.err)")
    #expect(!record.err.contains("acct: rotated alice@as.example"))
    #expect(await record.acct("header", "https://as.example/") == 4)
  }

  @Test("Tokens that can't be renewed are ended, and a sign-in brings new ones")
  func notRenewable() async {
    server.set { $0.answer["refresh_token"] = .null }
    #expect(await server.add() == 0)
    #expect(await rotate(name) == 4, "\(record.err)")
    #expect(record.err.first == "acct: the server has ended the session of alice@as.example", "\(record.err)")
    #expect(record.err.last == "acct: sign in again with `acct login alice@as.example`")
    #expect(await record.acct("header", "https://as.example/") == 4)
    #expect(record.err.first?.contains("`acct rotate` has ended it") == true, "\(record.err)")
  }

  @Test("A static token is replaced when the new one is typed, and its page is told")
  func typed() async {
    #expect(await record.addToken("former-token", at: "https://b.example", "--name", "key") == 0)
    #expect(await rotate("key") == 64, "\(record.err)")
    record.answer("new-token")
    #expect(await rotate("key") == 0, "\(record.err)")
    #expect(record.err.first == "acct: revoke the former token of key, and make another at its server", "\(record.err)")
    #expect(record.err.last == "acct: rotated key")
    record.clear()
    #expect(await record.acct("header", "https://b.example/") == 0)
    #expect(record.out == "Authorization: Bearer new-token\n")
    record.answer("new-token")
    #expect(await rotate("key") == 4)
    #expect(record.err.last == "acct: the new token of key is the former one", "\(record.err)")
  }

  @Test("A new token is read from a file, for one static account alone")
  func file() async {
    #expect(await record.addToken("former-token", at: "https://b.example", "--name", "key") == 0)
    record.secretFiles["new"] = "new-token\n"
    #expect(await rotate("key", "--token", "new") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "https://b.example/") == 0)
    #expect(record.out == "Authorization: Bearer new-token\n")
    #expect(await rotate("key", "other", "--token", "new") == 64)
    #expect(await rotate() == 64)
    #expect(await server.add() == 0)
    #expect(await rotate(name, "--token", "new") == 64)
  }

  @Test("One failure does not stop the other accounts, and its status is the command's")
  func several() async {
    #expect(await server.add() == 0)
    #expect(await record.addToken("a-token", at: "https://b.example", "--name", "key") == 0)
    #expect(await rotate("--all") == 64, "\(record.err)")
    #expect(record.err.contains("acct: rotated alice@as.example"), "\(record.err)")
    #expect(record.err.contains { $0.hasPrefix("acct: key needs its new token") })
    #expect(await rotate(name, "nobody") == 5)
    #expect(server.forms("/revoke").count == 1, "a name that no account has ends the command before the first")
  }

  @Test("A sign-in tells that the former session is still valid, and --end-former ends it")
  func endFormer() async {
    #expect(await server.add() == 0)
    func login(_ options: String...) async -> Int32 {
      record.clear()
      let world = server.browser.world(of: record)
      return await Acct.run(["login", name] + options, in: world, parsedBy: ParsedLines.parse)
    }
    #expect(await login() == 0, "\(record.err)")
    #expect(
      record.err.contains(
        "acct: the former session of alice@as.example is still valid at its server: a sign-in with `--end-former` ends it"
      ),
      "\(record.err)"
    )
    #expect(server.forms("/revoke").isEmpty)
    #expect(await login("--end-former") == 0, "\(record.err)")
    #expect(server.forms("/revoke").map { $0["token"] } == ["rt-2-long-enough"])
    #expect(record.err.contains("acct: the server has ended the former session of alice@as.example"), "\(record.err)")
    server.set { $0.revocation = .json("{}", 503) }
    #expect(await login("--end-former") == 4, "\(record.err)")
    server.set {
      $0.revocation = .json("{}")
      $0.endsSession = true
    }
    #expect(await login("--end-former") == 4, "\(record.err)")
    #expect(record.err.contains { $0.contains("has ended the new session of alice@as.example with the former one") })
  }
}
