import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Sign-ins that begin at a resource server (RFC 9728), such as one of the Model Context Protocol.
@Suite("A sign-in at a resource")
struct ResourceSignInTests {
  private let record = RecordedWorld()
  private static let resource = "https://mcp.example/mcp"
  private static let wellKnown = "/.well-known/oauth-protected-resource"

  /// A resource's answer to a request without a credential.
  private static func challenge(_ parameters: String, _ status: Int = 401) -> HTTPResponse {
    .json("{}", status, ("WWW-Authenticate", "Bearer \(parameters)"))
  }

  private static func description(_ resource: String = resource, _ members: JSONObject = [:]) -> HTTPResponse {
    var document: JSONObject = [
      "resource": .string(resource), "authorization_servers": [.string(RecordedServer.issuer)],
    ]
    for (name, value) in members { document[name] = value == .null ? nil : value }
    return .json(String(decoding: JSON.object(document).serialized(), as: UTF8.self))
  }

  /// An authorization server, and a resource that trusts it.
  private func serve(_ answers: [String: HTTPResponse]) -> RecordedServer {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    for (path, answer) in answers { server.set(path, answer) }
    return server
  }

  private func add(_ resource: String = resource, _ options: String...) async -> Int32 {
    record.clear()
    return await record.run(["add", "--resource", resource, "--client-id", "client", "--device"] + options)
  }

  /// The bearing of one request: its address, without a credential.
  private var asked: [String] { record.requests.map { $0.url.description } }

  @Test("A resource's challenge leads to its server, and its scope and itself are requested")
  func challenged() async {
    let server = serve([
      "/mcp": Self.challenge(
        #"error="invalid_token", resource_metadata="https://mcp.example/meta", scope="mcp:read mcp:call""#
      ),
      "/meta": Self.description(),
    ])
    #expect(await add() == 0, "\(record.err)")
    #expect(asked.prefix(2) == [Self.resource, "https://mcp.example/meta"])
    #expect(record.requests.first?.fields.contains { $0.name == "Authorization" } == false)
    #expect(
      server.bodies("/start")
        == ["client_id=client&scope=mcp%3Aread%20mcp%3Acall&resource=https%3A%2F%2Fmcp.example%2Fmcp"]
    )
    let account = record.accountFile
    #expect(account?["resources"] == [.string(Self.resource)])
    #expect(account?["origins"] == ["https://mcp.example"])
    #expect(account?["issuer"] == .string(RecordedServer.issuer))
    #expect(account?["issuerSource"] == "resource")
    #expect(account?["scope"] == "mcp:read mcp:call")
    #expect(await record.acct("header", "\(Self.resource)?a=b") == 0)
    #expect(record.out == "Authorization: Bearer at-a-long-enough\n")
    #expect(await record.acct("header", "\(RecordedServer.issuer)/") == 8)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(
      server.bodies("/token").last?.contains("resource=https%3A%2F%2Fmcp.example%2Fmcp") == true
    )
    // The resource named the server, so a renewal reaches no further than the sign-in did.
    #expect(record.requests.last?.reach == .publicOnly)
  }

  @Test("A scope that the user names is requested in place of the challenge's")
  func ownScope() async {
    let server = serve(["/mcp": Self.challenge(#"scope="all""#), "\(Self.wellKnown)/mcp": Self.description()])
    #expect(await add(Self.resource, "--scope", "mine") == 0, "\(record.err)")
    #expect(server.bodies("/start").last?.contains("scope=mine&") == true)
  }

  @Test(
    "A resource without a challenge is found at the well-known places",
    arguments: [(["/mcp"], resource), ([""], "https://mcp.example"), ([""], "https://mcp.example/"), ([""], resource)]
  )
  func wellKnown(places: [String], stated: String) async {
    var answers = ["/mcp": HTTPResponse.json("{}", 405)]
    for place in places { answers["\(Self.wellKnown)\(place)"] = Self.description(stated) }
    let server = serve(answers)
    #expect(await add() == 0, "\(record.err)")
    // The second one is a POST, for a challenge that a GET does not get.
    #expect(asked.prefix(3) == [Self.resource, Self.resource, "https://mcp.example\(Self.wellKnown)/mcp"])
    // Of the resource, as it was typed, and not as its server spells the origin.
    #expect(
      server.bodies("/start") == ["client_id=client&resource=https%3A%2F%2Fmcp.example%2Fmcp"]
    )
  }

  @Test("The scopes that a resource lists are named, and not requested")
  func offered() async {
    let listed: JSONObject = ["scopes_supported": ["read", "admin", "no scope\u{7}"]]
    let server = serve(["\(Self.wellKnown)/mcp": Self.description(Self.resource, listed)])
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/start").last?.contains("scope") == false)
    #expect(
      record.err.contains(
        "acct: no scope is requested; https://mcp.example lists read admin, and --scope requests some"
      ),
      "\(record.err)"
    )
  }

  @Test(
    "A description that is not the resource's own, or leads nowhere, is an error, and no server is asked",
    arguments: [
      (["resource": "https://mcp.example/mcp/"], "describes the resource https://mcp.example/mcp/"),
      (["resource": "https://mcp.example"], "describes the resource https://mcp.example instead"),
      (["resource": "https://evil.example/mcp"], "describes the resource https://evil.example/mcp"),
      (["resource": .null], "does not describe the resource https://mcp.example/mcp"),
      (["resource": ["https://mcp.example/mcp"]], "does not describe the resource"),
      (["authorization_servers": .null], "names no server that signs in to it"),
      (["authorization_servers": []], "names no server that signs in to it"),
      (["authorization_servers": "https://as.example"], "with a bad authorization_servers"),
      (["authorization_servers": [1]], "with a bad authorization_servers"),
      (["authorization_servers": ["as.example"]], "with a bad authorization_servers"),
      (["authorization_servers": ["https://as.example?x"]], "with a bad authorization_servers"),
      (["authorization_servers": ["http://as.example"]], "a URL that no credential may be sent to"),
      (["authorization_servers": ["https://a@as.example"]], "a URL that no credential may be sent"),
    ] as [(JSONObject, String)]
  )
  func flaws(members: JSONObject, words: String) async {
    _ = serve(["\(Self.wellKnown)/mcp": Self.description(Self.resource, members)])
    #expect(await add() == 11)
    #expect(record.err.first?.contains(words) == true, "\(record.err)")
    #expect(record.requests.allSatisfy { $0.url.origin.host == "mcp.example" })
    #expect(record.accountFiles == 0)
  }

  @Test(
    "A challenge that is malformed is an error",
    arguments: [
      #"resource_metadata="/meta""#, #"resource_metadata="http://mcp.example/meta""#,
      #"resource_metadata="https://mcp.example/meta", scope="a  b""#, #"scope="a\"b""#,
    ]
  )
  func badChallenge(parameters: String) async {
    _ = serve(["/mcp": Self.challenge(parameters), "/meta": Self.description()])
    #expect(await add() == 11)
    #expect(record.err.first?.contains("asks for a sign-in with a bad ") == true, "\(record.err)")
    #expect(record.requests.count == 1)
  }

  @Test("A resource that says nothing of a server is an error that names --issuer")
  func nothing() async {
    _ = serve(["/mcp": .json("[]")])
    #expect(await add() == 11)
    #expect(
      record.err == [
        "acct: https://mcp.example does not say which server signs in to it (it answered 404)",
        "acct: hint: --issuer URL, beside --resource, names the server to sign in at",
      ]
    )
    record.clear()
    record.serve { _ throws(HTTPFailure) in .json("{}", 503) }
    #expect(await add() == 11)
    #expect(record.err.first == "acct: https://mcp.example failed with 503")
  }

  @Test("A resource that trusts several servers has them listed, and --issuer chooses one")
  func several() async {
    let servers: JSONObject = ["authorization_servers": ["https://other.example", .string(RecordedServer.issuer)]]
    _ = serve(["\(Self.wellKnown)/mcp": Self.description(Self.resource, servers)])
    #expect(await add() == 64)
    #expect(
      record.err.first == "acct: https://mcp.example trusts several servers: https://other.example, https://as.example"
    )
    let before = record.requests.count
    #expect(await add(Self.resource, "--issuer", RecordedServer.issuer) == 0, "\(record.err)")
    #expect(record.requests.dropFirst(before).allSatisfy { $0.url.origin.host == "as.example" })
    #expect(record.accountFile?["issuerSource"] == "given")
  }

  @Test(
    "A client's secret or key goes to no server that only the resource names",
    arguments: ["--client-secret-file", "--client-key"]
  )
  func secrets(option: String) async {
    record.secretFiles["file"] = option == "--client-key" ? MadeUpKeys.p256 : "s3cret"
    _ = serve(["\(Self.wellKnown)/mcp": Self.description()])
    #expect(await add(Self.resource, option, "file") == 64)
    #expect(record.err.joined().contains("need --issuer beside --resource"), "\(record.err)")
    #expect(record.requests.isEmpty)
    let issuer = RecordedServer.issuer
    #expect(await add(Self.resource, option, "file", "--issuer", issuer) == 0, "\(record.err)")
  }

  @Test(
    "A server that only the resource names signs in at its own origin, or marks its answers",
    arguments: [
      ("https://other.example", [], 11), ("https://as.example", [], 0),
      ("https://other.example", ["--issuer", "https://as.example"], 0),
      ("https://other.example", ["--authorize-url", "https://other.example/authorize"], 0),
    ] as [(String, [String], Int32)]
  )
  func elsewhere(origin: String, options: [String], status: Int32) async {
    let server = serve(["\(Self.wellKnown)/mcp": Self.description()])
    let endpoint = JSON.string("\(origin)/authorize")
    server.set(RecordedServer.place, RecordedServer.metadata(["authorization_endpoint": endpoint]))
    let browser = RehearsedBrowser()
    let arguments = ["add", "--resource", Self.resource, "--client-id", "client"] + options
    record.answer("y")
    #expect(
      await Acct.run(arguments, in: browser.world(of: record)) == status,
      "\(record.err)"
    )
    #expect(browser.addresses.count == (status == 0 ? 1 : 0))
    guard status != 0 else { return }
    #expect(
      record.err == [
        "acct: https://as.example, which the resource names, signs in at https://other.example, "
          + "and does not mark its answers",
        "acct: hint: if you trust https://as.example, name it with --issuer, beside --resource",
      ]
    )
    record.clear()
    // Then an answer without its issuer is refused.
    server.set(
      RecordedServer.place,
      RecordedServer.metadata([
        "authorization_endpoint": endpoint,
        "authorization_response_iss_parameter_supported": true,
      ])
    )
    #expect(await Acct.run(arguments, in: browser.world(of: record)) != 0)
    #expect(browser.addresses.count == 1)
  }

  @Test("A resource whose server needs a client id says where to register one")
  func clientID() async {
    _ = serve(["\(Self.wellKnown)/mcp": Self.description()])
    #expect(await record.acct("add", "--resource", Self.resource) == 64)
    #expect(record.err.first?.contains("https://as.example") == true, "\(record.err)")
    #expect(record.err.first?.contains("--client-id") == true, "\(record.err)")
  }

  @Test(
    "A public resource does not lead into a private network",
    arguments: ["https://10.0.0.1", "http://127.0.0.1:8080", "https://[::1]", "https://169.254.0.1"]
  )
  func privateNetwork(origin: String) async {
    let servers: JSONObject = ["authorization_servers": [.string(origin)]]
    _ = serve(["\(Self.wellKnown)/mcp": Self.description(Self.resource, servers)])
    #expect(await add() == 8)
    #expect(record.requests.allSatisfy { $0.url.origin.mayBePublic })
    _ = serve(["/mcp": Self.challenge(#"resource_metadata="\#(origin)/meta""#)])
    #expect(await add() == 8)
    #expect(record.err.first?.contains("a server names \(origin)") == true, "\(record.err)")
    #expect(record.requests.allSatisfy { $0.url.origin.mayBePublic })
    #expect(record.accountFiles == 0)
  }

  @Test("A resource on this machine may name a server on this machine")
  func loopback() async {
    let (resource, issuer) = ("http://127.0.0.1:8001/mcp", "http://127.0.0.1:9000")
    let servers: JSONObject = ["authorization_servers": [.string(issuer)]]
    let server = serve(["\(Self.wellKnown)/mcp": Self.description(resource, servers)])
    server.set(
      RecordedServer.place,
      RecordedServer.metadata([
        "issuer": .string(issuer), "token_endpoint": .string("\(issuer)/token"),
        "device_authorization_endpoint": .string("\(issuer)/start"),
      ])
    )
    #expect(await add(resource) == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
  }

  @Test("Two resources, or a resource beside another way to sign in, are bad usage")
  func usage() async {
    #expect(await add(Self.resource, "--resource", "https://b.example") == 64)
    #expect(await add(Self.resource, "alice.example.com") == 64)
    #expect(await add("mcp.example") == 64)
    #expect(record.requests.isEmpty)
  }
}
