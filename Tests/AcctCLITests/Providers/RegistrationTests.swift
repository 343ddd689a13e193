import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Servers that register acct themselves (RFC 7591).
@Suite("A registration")
struct RegistrationTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()

  private static let metadata: JSONObject = [
    "registration_endpoint": "https://as.example/register",
    "authorization_endpoint": "https://as.example/authorize",
    "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
  ]

  private func serve(_ registered: HTTPResponse..., metadata: JSONObject = Self.metadata) -> RecordedServer {
    let server = RecordedServer(
      record,
      metadata: metadata,
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b")
    )
    for answer in registered { server.set("/register", answer) }
    return server
  }

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await Acct.run(
      ["add", "--issuer", RecordedServer.issuer] + options,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  private static let registered = HTTPResponse.json(
    #"{"client_id":"made-for-you","token_endpoint_auth_method":"none"}"#,
    201
  )

  @Test("A sign-in without a client id registers once, and the next one uses the same client")
  func once() async throws {
    let server = serve(Self.registered)
    #expect(await add("--scope", "read") == 0, "\(record.err)")
    let body = try #require(server.bodies("/register").first)
    let request = try JSON(parsing: Array(body.utf8)).objectValue
    #expect(request?["application_type"] == "native")
    #expect(request?["token_endpoint_auth_method"] == "none")
    #expect(request?["scope"] == "read")
    #expect(
      request?["redirect_uris"] == [.string("http://127.0.0.1:8123\(ownPath)"), .string("http://127.0.0.1\(ownPath)")]
    )
    #expect(browser.parameters["client_id"] == "made-for-you")
    #expect(browser.parameters["redirect_uri"] == "http://127.0.0.1:8123\(ownPath)")
    #expect(await add() == 0, "\(record.err)")
    #expect(await add("--name", "other") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 1)
    #expect(browser.ports.allSatisfy { $0 == 8123 })
    #expect(record.file(.clients)?.contains("made-for-you") == true)
  }

  @Test("Clients that a later version of acct has written are neither used nor replaced")
  func later() async {
    let server = serve(Self.registered)
    let clients = #"{"version":2,"clients":[]}"#
    record.corrupt(.clients, with: clients)
    #expect(await add("--scope", "read") == 65)
    #expect(
      record.err.suffix(2) == [
        "acct: /data/clients was written by a later version of acct", "acct: hint: update acct on this machine",
      ]
    )
    #expect(record.file(.clients) == clients)
    #expect(server.bodies("/register").isEmpty)
  }

  @Test("A client id that the user gives is used, and nothing is registered")
  func given() async {
    let server = serve(Self.registered)
    #expect(await add("--client-id", "mine") == 0, "\(record.err)")
    #expect(server.bodies("/register").isEmpty)
    #expect(browser.parameters["client_id"] == "mine")
  }

  @Test("A client with a secret keeps it in the keyring alone, and the next sign-in finds it there")
  func secret() async {
    var metadata = Self.metadata
    metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    let server = serve(
      .json(
        #"{"client_id":"c","client_secret":"made-up-secret","token_endpoint_auth_method":"client_secret_post"}"#,
        201
      ),
      metadata: metadata
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/register").last?.contains("client_secret_post") == true)
    #expect(server.bodies("/token").last?.contains("client_secret=made-up-secret") == true)
    #expect(!record.filesText.contains("made-up-secret"))
    #expect(await add() == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 1)
    #expect(server.bodies("/token").last?.contains("client_secret=made-up-secret") == true)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("client_secret=made-up-secret") == true)
  }

  @Test(
    "A hostile answer of a registration is an error that names the member; nothing is stored",
    arguments: [
      (#"{"client_id":["c"]}"#, "client_id"), (#"{"client_id":""}"#, "client_id"),
      (#"{"client_id":"c","redirect_uris":["https://evil.example"]}"#, "redirect_uris"),
    ]
  )
  func hostile(answer: String, member: String) async {
    _ = serve(.json(answer, 201))
    #expect(await add() == 11)
    #expect(record.err.first == "acct: https://as.example sent an answer with a bad \(member)")
    #expect(record.file(.clients) == nil)
    #expect(record.accountFiles == 0)
    #expect(browser.addresses.isEmpty)
  }

  @Test("A server that registers no one is an error that says where to register a client")
  func refused() async {
    _ = serve(.json(#"{"error":"access_denied","error_description":"Policy 'Trusted Hosts'"}"#, 403))
    #expect(await add() == 64)
    #expect(
      record.err.first == "acct: https://as.example needs to know the client: --client-id is missing"
    )
    #expect(record.err.last?.contains("register a client at https://as.example") == true)
  }

  @Test("A secret that has ended, or that is gone with its account, is registered anew")
  func ended() async {
    let end = record.now + 3600
    let server = serve(
      .json(
        #"{"client_id":"c","client_secret":"made-up-secret","client_secret_expires_at":\#(end)}"#,
        201
      )
    )
    #expect(await add("--name", "a") == 0, "\(record.err)")
    record.now = end
    #expect(await add("--name", "a") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 2)
    record.now = end - 1
    #expect(await record.acct("remove", "a", "--local") == 0)
    #expect(await add("--name", "a") == 0, "\(record.err)")
    #expect(server.bodies("/register").count == 3)
  }
}

/// The redirect path of a client that `https://as.example` has registered.
let ownPath = "/ZZKjQMBTujCU6ddp/callback"
