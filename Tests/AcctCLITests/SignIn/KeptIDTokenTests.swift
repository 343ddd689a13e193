import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// The ID token that a sign-in keeps (OpenID Connect Core 1.0, sections 3.1.3.7 and 12.2).
@Suite("The kept ID token")
struct KeptIDTokenTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  /// The end of the stored ID token; `nil` if there is none.
  private var end: String? {
    record.keyring.items.values.first?[.idToken].map { secret in
      let payload = RowServer.text(secret).split(separator: ".").dropFirst().first.map(String.init) ?? ""
      let claims = (try? Base64URL.decode(Array(payload.utf8).span)).flatMap { try? JSON(parsing: $0) }
      return claims?.objectValue?["exp"]?.numberValue?.integer.map(String.init) ?? "none"
    }
  }

  @Test("An ID token is kept if the scope of the sign-in has openid, and only then")
  func scope() async {
    #expect(await server.add(scope: "profile") == 0, "\(record.err)")
    #expect(end == nil)
    #expect(await record.acct("token", "--id") == 4)
    #expect(
      record.err == [
        "acct: alice@as.example has no ID token: its sign-in did not request the scope openid",
        "acct: hint: sign in again with `acct login alice@as.example --scope 'openid profile'`",
      ]
    )
    #expect(await server.add() == 0, "\(record.err)")
    #expect(end == "1800003600")
  }

  @Test("A renewal's ID token replaces the kept one, and a renewal without one keeps it")
  func renewal() async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?["exp"] = 1_800_007_200 }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(end == "1800007200")
    server.set { $0.claims = nil }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(end == "1800007200")
  }

  @Test(
    "A wrong ID token of a renewal is 11: the refresh token is kept, and nothing else of the answer",
    arguments: [
      ("aud", "other", "it is for another client"), ("aud", ["client", "other"], "its azp does not name this client"),
      ("iat", .null, "it has no iat"), ("nonce", "another", "it is not the answer to this sign-in: its nonce differs"),
      ("exp", 1, "it has expired"),
      ("exp", .null, "it has no exp"), ("iat", 1_800_009_999, "it was issued in the future"),
      ("sub", .null, "it can't be read"),
    ] as [(String, JSON, String)]
  )
  func wrong(claim: String, value: JSON, words: String) async {
    #expect(await server.add() == 0, "\(record.err)")
    server.set { $0.claims?[claim] = value == .null ? nil : value }
    #expect(await record.acct("refresh", "--force") == 11, "\(record.err)")
    #expect(
      record.err.first == "acct: https://as.example sent an ID token that was rejected: \(words)",
      "\(record.err)"
    )
    #expect(end == "1800003600")
    let items = record.keyring.items.values.first
    #expect(items?[.refreshToken].map(RowServer.text) == "rt-2-long-enough")
    #expect(items?[.accessToken].map(RowServer.text) == "at-1-long-enough")
    #expect(record.accountFile?["standing"] == "signedIn")
    // The next renewal uses what was kept.
    server.set { $0.claims = nil }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.forms("/token").last?["refresh_token"] == "rt-2-long-enough")
  }

  @Test("An import brings an ID token in either spelling", arguments: ["id_token", "idToken"])
  func imports(member: String) async {
    let token = idToken(#"{"iss":"https://as.example","aud":"client","sub":"alice","exp":1800003600}"#)
    record.provide(
      "in",
      """
      {"access_token":"at-old-long-enough","\(member)":"\(token)","issuer":"https://as.example","clientId":"client"}
      """
    )
    #expect(await record.acct("add", "--import", "in", "--name", "alice") == 0, "\(record.err)")
    #expect(end == "1800003600")
    #expect(await record.acct("token", "--id") == 0, "\(record.err)")
    #expect(record.out == token + "\n")
  }

  @Test(
    "An import with another issuer's or client's ID token is 65, and nothing is stored",
    arguments: [("https://evil.example", "client"), ("https://as.example", "other")]
  )
  func wrongImport(issuer: String, client: String) async {
    let token = idToken(#"{"iss":"\#(issuer)","aud":"\#(client)","sub":"alice","exp":1800003600}"#)
    record.provide(
      "in",
      """
      {"access_token":"at-old-long-enough","id_token":"\(token)","issuer":"https://as.example","clientId":"client"}
      """
    )
    #expect(await record.acct("add", "--import", "in", "--name", "alice") == 65)
    #expect(record.err.first?.hasPrefix("acct: the ID token can't be used: ") == true, "\(record.err)")
    #expect(record.keyring.items.isEmpty)
  }

  @Test("An export has the ID token, and an import of it brings it back")
  func export() async {
    #expect(await server.add() == 0, "\(record.err)")
    record.secretFiles["pass"] = "made-up passphrase"
    #expect(await record.acct("export", "--all", "-o", "out", "--passphrase-file", "pass") == 0, "\(record.err)")
    let other = RecordedWorld()
    other.secretFiles["pass"] = "made-up passphrase"
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.acct("add", "--import", "in", "--passphrase-file", "pass") == 0, "\(other.err)")
    #expect(
      other.keyring.items.values.first?[.idToken].map(RowServer.text)
        == record.keyring.items.values.first?[.idToken].map(RowServer.text)
    )
    #expect(await other.acct("token", "--id") == 0, "\(other.err)")
  }

  @Test("A header reads the token, its end and its key, and no ID token")
  func header() async {
    #expect(await server.add() == 0, "\(record.err)")
    record.keyring.put(.idToken, Secret("damaged"))
    #expect(await record.acct("header", "https://as.example/x") == 0, "\(record.err)")
    _ = await record.acct("doctor")
    #expect(record.out.contains("ID token"), "\(record.out)")
  }

  @Test("A removal leaves no ID token")
  func removal() async {
    #expect(await server.add() == 0, "\(record.err)")
    #expect(await record.acct("remove", "--local", "alice@as.example") == 0, "\(record.err)")
    #expect(record.keyring.count == 0)
  }
}
