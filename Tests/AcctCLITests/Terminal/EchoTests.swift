import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Servers that return secrets in their own words: in memory, one kind of answer after the other.
@Suite("A server that repeats a secret")
struct EchoTests {
  private let record = RecordedWorld()
  private static let token = "rt-made-up-Zq7WmLONGenough"

  private func importExpired(_ token: String = token) async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": .string(token), "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.now += 3700
  }

  /// Everything that was shown, printed and stored, the keyring apart.
  private var everything: String {
    ([record.out] + record.err + record.passing + [record.filesText]).joined(separator: "\n")
  }

  /// Answers the token endpoint's requests with what a test makes of their body.
  private func serve(
    _ status: Int = 400,
    _ fields: [(String, String)] = [],
    _ words: @escaping @Sendable (_ body: String) -> String
  ) {
    let issuer = FakeIssuer()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try issuer.respond(request) }
      let body = request.body.map { text(of: $0) } ?? ""
      var answer = HTTPResponse.json(words(body), status)
      answer.fields += fields.map { (name: $0.0, value: $0.1) }
      return answer
    }
  }

  @Test(
    "A secret in a session's end is redacted on the terminal, in JSON and in the account's file",
    arguments: ["invalid_grant", "made_up_error"]
  )
  func tokenEndpoint(_ code: String) async throws {
    await importExpired()
    serve { #"{"error":"\#(code)","error_description":"bad token \#($0)"}"# }
    let status = await record.acct("refresh", "--force", "--json")
    #expect(status == (code == "invalid_grant" ? 4 : 11))
    #expect(!everything.contains(Self.token.suffix(8)))
    let words = "bad token grant_type=refresh_token&refresh_token=<redacted>&client_id=client"
    #expect(record.err.joined().contains(words), "\(record.err)")
    if code == "invalid_grant" { #expect(try record.member("reason") == .string(words)) }
    for command in [["status"], ["status", "--json"], ["list", "--json"], ["header"]] {
      record.clear()
      _ = await record.run(command)
      #expect(!everything.contains(Self.token.suffix(8)))
    }
  }

  @Test("A secret in an error code, a redirect, a Retry-After or a token type is redacted")
  func elsewhere() async {
    await importExpired()
    let token = Self.token
    serve { _ in #"{"error":"no \#(token)"}"# }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.first?.contains("no <redacted>") == true, "\(record.err)")
    serve(307, [("Location", "https://elsewhere.example/?\(token)")]) { _ in "" }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(everything.contains("https://elsewhere.example/?<redacted>"), "\(record.err)")
    serve(503, [("Retry-After", token)]) { _ in "" }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(!everything.contains(token.prefix(8)))
    serve(200) { _ in #"{"access_token":"a","token_type":"\#(token)"}"# }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(!everything.contains(token.prefix(8)))
  }

  @Test("A secret that metadata names as its issuer is redacted")
  func issuer() async {
    await importExpired()
    let token = Self.token
    record.serve { _ throws(HTTPFailure) in
      .json(#"{"issuer":"https://\#(token)","token_endpoint":"https://issuer.example/token"}"#)
    }
    #expect(await record.acct("refresh", "--force") == 11)
    let words = "names the issuer https://<redacted> instead of https://issuer.example"
    #expect(record.err.first?.hasSuffix(words) == true, "\(record.err)")
    #expect(!everything.contains(token.prefix(8)))
  }

  @Test("A secret that the same answer brought is redacted")
  func justGiven() async {
    await importExpired()
    let given = "at-just-given-and-unusable"
    serve(200) { _ in #"{"access_token":"\#(given)","token_type":"odd \#(given)"}"# }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.first?.contains("odd <redacted>") == true, "\(record.err)")
    #expect(!everything.contains(given.prefix(8)))
  }

  @Test("A secret in a scope is redacted in the account's file, and a nonce that has one is not kept")
  func stored() async throws {
    await importExpired()
    let token = Self.token
    serve(200, [("DPoP-Nonce", token)]) { _ in
      #"{"access_token":"at-new-and-long-enough","token_type":"Bearer","scope":"read \#(token)"}"#
    }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(try record.member("scope") == "read <redacted>")
    #expect(!everything.contains(token.prefix(8)))
    #expect(record.file(.nonce(try Origin("https://issuer.example"))) == nil)
  }

  @Test("A secret in the name of a limit is redacted")
  func limits() async throws {
    let handoff = Handoffs.bearer(changing: ["access_token": "at-long-enough-to-be-found"])
    #expect(await record.add(handoff) == 0)
    record.serve(200, "body at-long-enough-to-be-found", [("RateLimit", #""at-long-enough-to-be-found";r=1;t=60"#)])
    #expect(await record.acct("request", "https://issuer.example/x") == 0)
    // The body is what was asked for.
    #expect(record.out == "body at-long-enough-to-be-found")
    #expect(!record.filesText.contains("at-long"))
    #expect(await record.acct("limits", "--json") == 0)
    #expect(record.out.contains("<redacted>"), "\(record.out)")
  }

  @Test("A secret in the redirect or wait of a user's request is redacted in the messages")
  func request() async {
    let token = "at-long-enough-to-be-found"
    #expect(await record.add(Handoffs.bearer(changing: ["access_token": .string(token)])) == 0)
    record.serve(302, "", [("Location", "/x?\(token)")])
    #expect(await record.acct("request", "https://issuer.example/x") == 0)
    #expect(record.err.joined().contains("leads to /x?<redacted>"), "\(record.err)")
    for location in ["mailto:x?\(token)", "https://\(token).evil.test/"] {
      record.clear()
      record.serve(302, "", [("Location", location)])
      #expect(await record.acct("request", "-L", "https://issuer.example/x") == 11)
      #expect(!record.err.joined().contains(token), "\(record.err)")
    }
    record.serve(503, "", [("Retry-After", "soon \(token)")])
    #expect(await record.acct("request", "https://issuer.example/x") == 11)
    #expect(!record.err.joined().contains(token), "\(record.err)")
  }

  @Test("A key of the query in the redirect or wait of a request is redacted, as it is and percent-encoded")
  func queryKey() async {
    let (key, encoded) = ("key+made/up&long-enough", "key%2Bmade%2Fup%26long-enough")
    record.secretFiles["token"] = key
    let add = ["add", "--token", "token", "--query", "appid", "--allow-origin", "https://api.example", "-v"]
    #expect(await record.run(add) == 0)
    for word in [key, encoded] {
      record.clear()
      record.serve(302, "", [("Location", "/x?appid=\(word)")])
      #expect(await record.run(["request", "-v", "https://api.example/x"]) == 0)
      #expect(record.err.joined().contains("leads to /x?appid=<redacted>"), "\(record.err)")
      record.serve(503, "", [("Retry-After", "soon ?appid=\(word)")])
      #expect(await record.run(["request", "-v", "https://api.example/x"]) == 11)
      #expect(
        !everything.contains("made/up") && !everything.contains("made%2Fup") && !everything.contains("long-enough"),
        "\(record.err)"
      )
    }
  }

  @Test(
    "A sealed session in any word of the backend is redacted",
    arguments: [
      #"{"valid":false,"error":"no SEAL","reason":"session_invalid"}"#,
      #"{"valid":false,"error":"no","reason":"SEAL"}"#,
    ]
  )
  func sealed(_ answer: String) async throws {
    try await record.plantSession(left: 60)
    let seal = "Fe26.2*1*sealed-and-long-enough"
    let id = try AccountID("6f1c9a52-3b0e-4c57-9d6a-1f2e3d4c5b6a")
    try await record.keyring.keyring().write(id, [.init(.session, Secret(seal))], .forbidden)
    let words = answer.replacing("SEAL", with: seal)
    _ = FakeBackend(
      record,
      [
        "session": [.success(.json(words, 401))],
        "refresh-token": [.success(.json(#"{"success":false,"error":"no \#(seal)"}"#, 401))],
      ]
    )
    #expect(await record.acct("header", "--json") == 4)
    #expect(record.err.joined().contains("<redacted>"), "\(record.err)")
    #expect(!everything.contains("sealed-and"))
    #expect(try record.member("reason")?.stringValue?.contains("<redacted>") == true)
  }

  @Test("A sealed session in the name of its user is redacted")
  func displayName() async throws {
    try await record.plantSession(left: 60)
    let rotated = "Fe26.2*1*rolled-and-long-enough"
    let valid = FakeBackend.valid(record, rotated: rotated, changing: ["displayName": .string("Alice \(rotated)")])
    _ = FakeBackend(record, ["session": [valid]])
    #expect(await record.acct("status", "--check", "--json") == 0, "\(record.err)")
    #expect(try record.member("displayName") == "Alice <redacted>")
    #expect(!everything.contains("rolled-and"))
  }

  @Test("A guest token in an answer that grants or rejects it is redacted")
  func guest() async {
    let token = Guests.token("guest-with-a-long-name")
    let limitations: JSON = ["featuresDisabled": [.string(token)]]
    record.serve(200, Guests.answer(token, changing: ["limitations": limitations]))
    #expect(await record.acct("add", "--guest", Guests.backend) == 0)
    #expect(!everything.contains(token.suffix(8)))
    record.now += 900
    // The backend remembers what it gave, and so does the device in between.
    record.serve(400, Guests.refusal("no \(token)"), [("Set-Cookie", "guest=\(token)")])
    #expect(await record.acct("add", "--guest", Guests.backend) == 11)
    #expect(record.err.first?.hasSuffix(": no <redacted>") == true, "\(record.err)")
  }

  @Test("A secret in another member of an imported file is redacted")
  func handoff() async throws {
    let handoff = Handoffs.dpop(changing: ["displayName": "refresh-alice, Alice"])
    #expect(await record.add(handoff) == 0)
    #expect(try record.member("displayName") == "<redacted>, Alice")
  }

  @Test("A secret in the error of a keyring is redacted")
  func keyring() async {
    let token = "at-long-enough-to-be-found"
    record.keyring.failWrites(after: 0, with: .failed(reason: "can't store \(token)"))
    record.provide("-", Handoffs.bearer(changing: ["access_token": .string(token)]))
    #expect(await record.acct("add", "--import", "-", "--json") != 0)
    #expect(record.err.joined().contains("<redacted>"), "\(record.err)")
    #expect(!everything.contains(token))
  }
}
