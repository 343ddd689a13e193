import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A server that binds its tokens to keys, and a resource server that takes bearer tokens alone.
@Suite("A resource that takes bearer tokens only")
struct BearerOnlyTests {
  private let record = RecordedWorld()
  private static let url = "https://as.example/notes"
  private static let line = "acct: hint: to sign in for a bearer token, run `acct login alice@as.example --no-dpop`"

  /// Signs in for a bound token, at a server whose resource answers it with this challenge.
  private func serve(_ challenge: String, refreshToken: Bool = true) async -> RecordedServer {
    let server = record.serveDPoP(
      RecordedServer.tokens(
        "a",
        refreshToken ? ["token_type": "DPoP"] : ["token_type": "DPoP", "refresh_token": .null]
      ),
      RecordedServer.tokens("b", ["token_type": "DPoP"])
    )
    server.set("/notes", .json(#"{"error":"unauthorized"}"#, 401, ("WWW-Authenticate", challenge)))
    #expect(await record.signIn() == 0, "\(record.err)")
    return server
  }

  @Test(
    "A challenge for a bearer token alone causes no renewal, and its line signs in for one, which works",
    arguments: [
      #"Bearer realm="notes", error="invalid_request", error_description="the request has no bearer token""#,
      "Bearer", #"Basic realm="x", bearer realm="notes""#,
    ]
  )
  func line(challenge: String) async {
    let server = await serve(challenge)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(
      record.err == [
        "acct: https://as.example answered 401: it takes bearer tokens only, and the token of alice@as.example is "
          + "bound to a DPoP key", Self.line,
      ]
    )
    #expect(record.out == #"{"error":"unauthorized"}"#)
    #expect(server.bodies("/token").count == 1)
    server.set("/token", RecordedServer.tokens("c"))
    server.set("/notes", .json("[]"))
    #expect(await record.acct("login", "alice@as.example", "--no-dpop") == 0, "\(record.err)")
    #expect(server.fields("DPoP", "/token").last == "")
    #expect(await record.acct("request", Self.url) == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/notes").last == "Bearer at-c-long-enough")
    #expect(server.fields("DPoP", "/notes").last == "")
    // From then on: the next sign-in and the next renewal ask for bearer tokens, too.
    #expect(await record.acct("login", "alice@as.example") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.fields("DPoP", "/token").suffix(2) == ["", ""])
    #expect(record.accountFiles == 1)
    #expect(record.keyItem == nil)
  }

  @Test("A token that the challenge calls invalid is renewed once, before it counts as a bound one that is not taken")
  func invalidToken() async {
    let server = await serve(#"Bearer error="invalid_token""#)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(record.err.last == Self.line)
    #expect(server.bodies("/token").count == 2)
  }

  @Test("A challenge for DPoP beside the one for a bearer token causes a renewal")
  func both() async {
    let server = await serve(#"Bearer realm="x", DPoP error="invalid_token""#)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(record.err.last == "acct: hint: sign in again with `acct login alice@as.example`")
    #expect(server.bodies("/token").count == 2)
  }

  @Test("A demand for a bearer token is no rejection of a bound token that can't be renewed")
  func notRenewable() async {
    _ = await serve("Bearer", refreshToken: false)
    #expect(await record.acct("request", Self.url) == 4)
    #expect(record.err.last == Self.line)
    #expect(await record.acct("header", Self.url) == 0, "\(record.err)")
  }

  @Test(
    "A use that needs a bearer token names the line that signs in for one",
    arguments: [["token", "--sasl", "xoauth2", "--user", "a"], ["header", "--bearer"]]
  )
  func use(command: [String]) async {
    let server = record.serveDPoP()
    #expect(await record.signIn() == 0, "\(record.err)")
    record.clear()
    #expect(await record.run(command) == 64)
    #expect(record.err.last == Self.line)
    server.set("/token", RecordedServer.tokens("c"))
    #expect(await record.acct("login", "alice@as.example", "--no-dpop") == 0, "\(record.err)")
    record.clear()
    #expect(await record.run(command) == 0, "\(record.err)")
  }

  @Test("A key in a device is given up for bearer tokens, and no new one is made")
  func device() async {
    let server = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm:/dev/made-up") == 0, "\(record.err)")
    server.set("/token", RecordedServer.tokens("c"))
    #expect(await record.acct("login", "alice@as.example", "--no-dpop", "--key", "tpm") == 64)
    #expect(record.err.first == "acct: --key and --no-dpop exclude each other")
    #expect(await record.acct("login", "alice@as.example", "--no-dpop") == 0, "\(record.err)")
    #expect(record.accountFile?["keyStorage"] == nil)
    #expect(await record.acct("header", Self.url) == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-c-long-enough\n")
    #expect(record.keyItem == nil)
  }
}
