import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// What a client that a server has registered can be used for.
@Suite("A registered client")
struct RegisteredClientTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()

  private static let metadata: JSONObject = [
    "registration_endpoint": "https://as.example/register",
    "authorization_endpoint": "https://as.example/authorize",
    "token_endpoint_auth_methods_supported": ["none"],
  ]

  private static func client(_ id: String) -> HTTPResponse {
    .json(#"{"client_id":"\#(id)","token_endpoint_auth_method":"none"}"#, 201)
  }

  /// A server that gives out another identifier each time.
  private func serve(_ metadata: JSONObject = Self.metadata) -> RecordedServer {
    let server = RecordedServer(
      record,
      metadata: metadata,
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b")
    )
    server.set("/register", Self.client("first"), Self.client("second"), Self.client("third"))
    return server
  }

  private func add(_ options: String..., busy: Set<Int> = []) async -> Int32 {
    record.clear()
    var world = browser.world(of: record)
    let listener = world.listener
    world.listener = CallbackListener { redirect throws(ListenFailure) in
      let port = redirect.port ?? (8123...8999).first { !busy.contains($0) }
      if let port, busy.contains(port) { throw .failed(port: port, reason: "it is in use") }
      return try await listener.listen(LoopbackRedirect(host: redirect.host, port: port, tail: redirect.tail))
    }
    return await Acct.run(["add", "--issuer", RecordedServer.issuer] + options, in: world)
  }

  @Test("Another port is registered before it is used, and the account stays the same")
  func port() async {
    let server = serve()
    #expect(await add() == 0, "\(record.err)")
    #expect(browser.parameters["client_id"] == "first")
    #expect(await add("--redirect-port", "9001") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    #expect(server.bodies("/register").last?.contains("127.0.0.1:9001/") == true)
    #expect(browser.parameters["client_id"] == "second")
    #expect(browser.parameters["redirect_uri"] == "http://127.0.0.1:9001\(ownPath)")
    #expect(record.accountFiles == 1)
    #expect(record.accountFile?["clientId"] == "second")
    #expect(await add("--redirect-port", "9001") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("client_id=second") == true)
  }

  @Test("A port that another program has taken is not used: a free one is registered")
  func busy() async {
    let server = serve()
    #expect(await add() == 0, "\(record.err)")
    #expect(await add(busy: [8123]) == 0, "\(record.err)")
    #expect(server.bodies("/register").last?.contains("127.0.0.1:8124/") == true)
    #expect(browser.parameters["redirect_uri"] == "http://127.0.0.1:8124\(ownPath)")
    #expect(record.accountFiles == 1)
    #expect(await add("--redirect-port", "9001", busy: [9001]) != 0)
    #expect(server.bodies("/register").count == 2)
  }

  @Test("Another path is registered before it is used")
  func path() async {
    let server = serve()
    #expect(await add() == 0, "\(record.err)")
    #expect(await add("--redirect-uri", "http://localhost/back") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    #expect(browser.parameters["redirect_uri"] == "http://localhost:8123/back")
  }

  @Test("A scope that was not registered is registered, together with the one that was")
  func scope() async {
    let server = serve()
    #expect(await add("--scope", "read") == 0, "\(record.err)")
    #expect(await add("--scope", "write") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    #expect(server.bodies("/register").last?.contains(#""scope":"read write""#) == true)
    #expect(browser.parameters["scope"] == "write")
    #expect(await add("--scope", "write read") == 0, "\(record.err)")
    #expect(await add("--scope", "read") == 0, "\(record.err)")
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    #expect(record.accountFiles == 1)
  }

  @Test("A server with secrets alone registers one for the form, where the client is named, too")
  func post() async {
    var metadata = Self.metadata
    metadata["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "client_secret_post"]
    let server = serve(metadata)
    server.set(
      "/register",
      .json(
        #"{"client_id":"c","client_secret":"made-up-secret","token_endpoint_auth_method":"client_secret_post"}"#,
        201
      )
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/register").last?.contains("client_secret_post") == true)
    #expect(server.bodies("/token").last?.contains("client_id=c") == true)
    #expect(server.bodies("/token").last?.contains("client_secret=made-up-secret") == true)
  }

  @Test("A server that registers no unknown clients asks for a client id", arguments: [401, 403, 404])
  func unknown(status: Int) async {
    let server = serve()
    server.set("/register", .json(#"{"error":"invalid_token"}"#, status))
    #expect(await add() == 64)
    #expect(record.err.first?.contains("--client-id is missing") == true)
    #expect(browser.addresses.isEmpty)
  }
}
