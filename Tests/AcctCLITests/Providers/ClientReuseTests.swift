import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Where a client goes that was used before, and where it does not.
@Suite("A client that was used before")
struct ClientReuseTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()
  private static let evil = "https://evil.example/e"

  /// The user's own server, and another one that wants its secret.
  private func serve() -> RecordedServer {
    record.secretFiles["secret"] = "made-up-secret\n"
    let server = RecordedServer(
      record,
      metadata: ["authorization_endpoint": "https://as.example/authorize"],
      tokens: RecordedServer.tokens("a")
    )
    server.set(
      "\(RecordedServer.place)/e",
      RecordedServer.metadata([
        "issuer": .string(Self.evil), "token_endpoint": .string("\(Self.evil)/token"),
        "authorization_endpoint": .string("\(Self.evil)/authorize"),
        "device_authorization_endpoint": .string("\(Self.evil)/start"),
        "registration_endpoint": .string("\(Self.evil)/register"),
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
      ])
    )
    server.set("/e/start", RecordedServer.start)
    server.set("/e/token", RecordedServer.tokens("evil"))
    server.set(
      "/e/register",
      .json(
        #"{"client_id":"client","client_secret":"its-own","token_endpoint_auth_method":"client_secret_post"}"#,
        201
      )
    )
    return server
  }

  private func add(_ arguments: String...) async -> Int32 {
    record.clear()
    return await Acct.run(["add"] + arguments, in: browser.world(of: record))
  }

  /// Whether the other server got the secret that the user's own server has given.
  private var hasLeaked: Bool {
    record.requests.filter { $0.url.origin.host == "evil.example" }.contains { request in
      let fields = request.fields.map { RowServer.text($0.value) }
      return ([RowServer.text(request.body)] + fields).contains {
        // As it is, and in the base64 of client:made-up-secret.
        $0.contains("made-up-secret") || $0.contains("Y2xpZW50Om1hZGUtdXAtc2VjcmV0")
      }
    }
  }

  @Test("A server that registers another server's client does not get that one's secret")
  func registration() async {
    let server = serve()
    let given = await record.addDevice(RecordedServer.issuer, "--client-secret-file", "secret", "--client-auth", "post")
    #expect(given == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("client_secret=made-up-secret") == true)
    for name in ["one", "two"] {
      #expect(
        await add("--issuer", Self.evil, "--device", "--name", name) == 0,
        "\(record.err)"
      )
      #expect(await record.acct("remove", name, "--local") == 0, "\(record.err)")
    }
    #expect(server.bodies("/e/register").count == 2)
    #expect(server.bodies("/e/token").allSatisfy { $0.contains("client_secret=its-own") })
    #expect(!hasLeaked)
  }

  @Test("A provider's file that names another server does not move the client's secret there")
  func provider() async {
    _ = serve()
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","clientAuth":"post"}"#
    let given = await add("acme", "--client-id", "client", "--client-secret-file", "secret")
    #expect(given == 0, "\(record.err)")
    #expect(await add("acme") == 0, "\(record.err)")
    record.providerFiles["acme"] = #"{"issuer":"\#(Self.evil)","clientAuth":"post"}"#
    #expect(await add("acme") == 64)
    #expect(record.err.first?.contains("needs the client's secret") == true)
    record.providerFiles["acme"] = #"{"issuer":"\#(Self.evil)","secretIsPublic":true}"#
    _ = await add("acme", "--device")
    #expect(!hasLeaked)
  }

  @Test("A confidential client of a server with tenants finds its secret again")
  func tenants() async throws {
    var row = try #require(ProviderRow.all.first { $0.typed == "microsoft" })
    row.options = ["--client-id", "client", "--client-secret-file", "secret"]
    row.forms = [:]
    row.basic = "Basic Y2xpZW50Om1hZGUtdXAtc2VjcmV0"
    let run = RowRun(row)
    #expect(await run.add() == 0, "\(run.record.err)")
    #expect(await run.add([]) == 0, "\(run.record.err)")
    #expect(run.record.accountFiles == 1)
  }

  @Test("A client that can't be remembered does not lose the sign-in")
  func forgotten() async {
    _ = serve()
    record.providerFiles["acme"] = #"{"issuer":"https://as.example"}"#
    var world = browser.world(of: record)
    let replace = world.files.replace
    world.files.replace = { file, bytes throws(FilesFailure) in
      guard file != .clients else { throw .failed(path: "clients.json", reason: "disk full") }
      try replace(file, bytes)
    }
    record.clear()
    #expect(await Acct.run(["add", "acme", "--client-id", "client"], in: world) == 0)
    #expect(
      record.err.contains { $0.hasPrefix("acct: the client is not remembered") },
      "\(record.err)"
    )
    record.clear()
    #expect(await record.acct("token") == 0)
    #expect(record.out == "at-a-long-enough\n")
  }

  @Test("A client is remembered for a place however that is typed, and until the file's own is named")
  func named() async {
    _ = serve()
    record.providerFiles["acme"] = #"{"issuer":"https://{host}","clientID":"own"}"#
    #expect(await add("acme:AS.example", "--client-id", "mine") == 0, "\(record.err)")
    #expect(await add("ACME:as.example") == 0, "\(record.err)")
    #expect(browser.parameters["client_id"] == "mine")
    #expect(await add("acme:as.example", "--client-id", "own") == 0, "\(record.err)")
    #expect(await add("acme:as.example") == 0, "\(record.err)")
    #expect(browser.parameters["client_id"] == "own")
  }

  @Test("A sign-in without input that would need the browser for its known secret fails at once")
  func noInput() async {
    _ = serve()
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","clientAuth":"post","flow":"device"}"#
    let given = await add("acme", "--client-id", "client", "--client-secret-file", "secret")
    #expect(given == 0, "\(record.err)")
    #expect(browser.addresses.count == 1)
    #expect(await add("acme", "--no-input", "--wait", "5") == 4)
    #expect(record.err.contains { $0.contains("browser") }, "\(record.err)")
    #expect(browser.ports.count == 1)
  }

  @Test(
    "An endpoint that is typed with a parameter of the protocol is bad usage",
    arguments: ["client_id=evil", "a=b&Redirect_URI=https://evil.example", "code%5Fchallenge=a"]
  )
  func query(text: String) async {
    let endpoint = "https://as.example/authorize?\(text)"
    let added = await add("--issuer", RecordedServer.issuer, "--client-id", "client", "--authorize-url", endpoint)
    #expect(added == 64)
    #expect(record.err.first?.contains("is sent by acct itself") == true)
    #expect(record.requests.isEmpty)
    _ = serve()
    #expect(
      await add(
        "--issuer",
        RecordedServer.issuer,
        "--client-id",
        "client",
        "--authorize-url",
        "https://as.example/authorize?p=policy"
      ) == 0,
      "\(record.err)"
    )
    #expect(browser.parameters["p"] == "policy")
  }
}
