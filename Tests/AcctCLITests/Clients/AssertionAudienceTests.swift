import AcctCLI
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("The audience of a client's assertion")
struct AssertionAudienceTests {
  private let record = RecordedWorld()
  private static let issuer = "https://as.example"
  private static let token = "https://as.example/token"

  init() { record.secretFiles["key"] = MadeUpKeys.p256 + "\n" }

  private func add() async -> Int32 {
    record.clear()
    let browser = RehearsedBrowser()
    return await Acct.run(
      ["add", "--issuer", Self.issuer, "--client-id", "client", "--client-key", "key"],
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  @Test("A FAPI 2.0 server gets the issuer as audience at every endpoint, and is asked once each")
  func issuer() async {
    let server = AssertionServer(record, for: Self.issuer)
    #expect(await add() == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(!record.err.contains { $0.contains("did not end") }, "\(record.err)")
    #expect(
      server.audiences == ["/par": [Self.issuer], "/token": [Self.issuer, Self.issuer], "/revoke": [Self.issuer]]
    )
  }

  @Test("A server that wants its token endpoint as audience is asked once more with that, and it is remembered")
  func tokenEndpoint() async {
    let server = AssertionServer(record, for: Self.token)
    #expect(await add() == 0, "\(record.err)")
    // What the first endpoint has taken is not tried again at the next.
    #expect(server.audiences["/par"] == [Self.issuer, Self.token])
    #expect(server.audiences["/token"] == [Self.token])
    #expect(
      record.accountFile?["client"] == ["authentication": "private-key", "assertionAudience": "token-endpoint"]
    )
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.audiences["/token"] == [Self.token, Self.token])
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(server.audiences["/revoke"] == [Self.token])
  }

  @Test("A server that changes what it wants is followed at a renewal")
  func changed() async {
    let server = AssertionServer(record, for: Self.issuer)
    #expect(await add() == 0, "\(record.err)")
    server.want(Self.token)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(
      record.accountFile?["client"] == ["authentication": "private-key", "assertionAudience": "token-endpoint"]
    )
    server.want(Self.issuer)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(record.accountFile?["client"] == ["authentication": "private-key"])
    #expect(
      server.audiences["/token"] == [Self.issuer, Self.issuer, Self.token, Self.token, Self.issuer]
    )
  }

  @Test("A client that is refused with either audience is asked about twice, and nothing is remembered")
  func refused() async {
    let server = AssertionServer(record, for: Self.issuer)
    #expect(await add() == 0, "\(record.err)")
    let file = record.accountFile?["client"]
    server.want("https://other.example")
    #expect(await record.acct("refresh", "--force") != 0)
    #expect(server.audiences["/token"] == [Self.issuer, Self.issuer, Self.token])
    #expect(record.accountFile?["client"] == file)
  }

  @Test("No other origin than the token endpoint's own gets an assertion for the token endpoint")
  func otherOrigin() async {
    // A server that names another's token endpoint as its own, and refuses the first assertion.
    let server = AssertionServer(
      record,
      for: "https://honest.example/token",
      tokenEndpoint: "https://honest.example/token"
    )
    #expect(await add() != 0)
    #expect(server.audiences == ["/par": [Self.issuer]])
  }
}

/// An authorization server that takes a client's assertion for one audience alone, a string, once.
private final class AssertionServer: Sendable {
  private struct State {
    var wanted: String
    var audiences: [String: [String]] = [:]
    var used: Set<String> = []
  }
  private let state: Mutex<State>
  private let metadata: HTTPResponse

  init(_ record: RecordedWorld, for audience: String, tokenEndpoint: String = "https://as.example/token") {
    state = Mutex(State(wanted: audience))
    metadata = RecordedServer.metadata([
      "token_endpoint": .string(tokenEndpoint),
      "authorization_endpoint": "https://as.example/authorize",
      "pushed_authorization_request_endpoint": "https://as.example/par",
      "require_pushed_authorization_requests": true,
      "revocation_endpoint": "https://as.example/revoke",
      "token_endpoint_auth_methods_supported": ["private_key_jwt"],
    ])
    record.serve { request throws(HTTPFailure) in self.answer(request) }
  }

  /// The audiences that each path got, oldest first.
  var audiences: [String: [String]] { state.withLock { $0.audiences } }

  /// Takes assertions for another audience from now on.
  func want(_ audience: String) { state.withLock { $0.wanted = audience } }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    let path = request.url.path
    if path == RecordedServer.place { return metadata }
    let body = request.body.map { text(of: $0) } ?? ""
    guard ["/par", "/token", "/revoke"].contains(path),
      let claims = try? Assertion(in: body, named: "client_assertion").claims,
      let identifier = claims["jti"]?.stringValue
    else { return .json(#"{"error":"not_found"}"#, 404) }
    let audience = claims["aud"]?.stringValue ?? "not a string"
    let isTaken = state.withLock { state in
      state.audiences[path, default: []].append(audience)
      return state.used.insert(identifier).inserted && audience == state.wanted
    }
    guard isTaken else { return .json(#"{"error":"invalid_client","error_description":"audience"}"#, 401) }
    switch path {
    case "/par": return .json(#"{"request_uri":"urn:made-up","expires_in":60}"#, 201)
    case "/token": return RecordedServer.tokens("a")
    default: return .json("{}")
    }
  }
}
