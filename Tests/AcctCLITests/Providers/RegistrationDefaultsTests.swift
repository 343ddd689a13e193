import AcctCLI
import AcctModel
import AcctPorts
import Secrets
import AcctTestSupport
import StrictJSON
import Testing

/// What a registration asks for where a server's metadata leaves it open, and where it does not take the usual.
@Suite("The defaults of a registration")
struct RegistrationDefaultsTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()

  private func serve(_ members: JSONObject, _ registered: HTTPResponse...) -> RecordedServer {
    var metadata: JSONObject = [
      "registration_endpoint": "https://as.example/register",
      "authorization_endpoint": "https://as.example/authorize",
    ]
    for (name, value) in members { metadata[name] = value }
    let server = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"))
    for answer in registered.reversed() { server.set("/register", answer) }
    return server
  }

  private func add() async -> Int32 {
    record.clear()
    return await Acct.run(
      ["add", "--issuer", RecordedServer.issuer],
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  private func registered(at server: RecordedServer) -> [JSONObject] {
    server.bodies("/register").compactMap { try? JSON(parsing: Array($0.utf8)).objectValue }
  }

  @Test("A server that names no methods registers a client for Basic, which is used")
  func basic() async {
    let server = serve(
      [:],
      .json(#"{"client_id":"c","client_secret":"made-up-secret","client_secret_expires_at":0}"#, 201)
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(registered(at: server).map { $0["token_endpoint_auth_method"] } == ["client_secret_basic"])
    #expect(server.fields("Authorization", "/token") == ["Basic YzptYWRlLXVwLXNlY3JldA=="])
    #expect(server.bodies("/token").last?.contains("client_secret") == false)
  }

  @Test("A server that names no methods, and takes no client for Basic, is asked for a public one")
  func fallback() async {
    let server = serve([:])
    server.set(
      "/register",
      .json(#"{"error":"invalid_client_metadata"}"#, 400),
      .json(#"{"client_id":"c","token_endpoint_auth_method":"none"}"#, 201)
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(registered(at: server).map { $0["token_endpoint_auth_method"] } == ["client_secret_basic", "none"])
  }

  @Test(
    "An algorithm for ID tokens is named exactly where the server does not have RS256",
    arguments: [
      (["ES256"], "ES256"), (["none", "PS256", "ES256"], "ES256"), (["none", "EdDSA"], "EdDSA"),
      (["RS256", "ES256"], nil), (["none"], nil), ([], nil),
    ] as [([String], String?)]
  )
  func algorithm(listed: [String], named: String?) async {
    let server = serve(
      [
        "id_token_signing_alg_values_supported": .array(listed.map(JSON.string)),
        "token_endpoint_auth_methods_supported": ["none"],
      ],
      .json(#"{"client_id":"c","token_endpoint_auth_method":"none"}"#, 201)
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(registered(at: server).map { $0["id_token_signed_response_alg"] } == [named.map(JSON.string)])
  }

  @Test("An empty client secret counts as missing")
  func emptySecret() async {
    let server = serve(
      ["token_endpoint_auth_methods_supported": ["none"]],
      .json(
        """
        {"client_id":"c-2218","client_secret":"","client_secret_expires_at":0,"token_endpoint_auth_method":"none",
         "redirect_uris":["http://127.0.0.1:8123\(ownPath)"]}
        """,
        201
      )
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("client_id=c-2218") == true)
    #expect(server.bodies("/token").last?.contains("client_secret") == false)
  }

  @Test("A page in place of an answer names --client-id, exit 11")
  func page() async {
    _ = serve(
      [:],
      HTTPResponse(status: 200, fields: [("Content-Type", "text/html")], body: Secret("<title>Join us</title>"))
    )
    #expect(await add() == 11)
    #expect(record.err.first?.contains("answered 200 with a body that is not JSON") == true, "\(record.err)")
    #expect(record.err.last?.contains("give its id with --client-id") == true, "\(record.err)")
  }
}
