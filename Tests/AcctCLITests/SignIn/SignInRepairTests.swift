import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A sign-in")
struct SignInRepairTests {
  private let record = RecordedWorld()

  @Test("A sign-in that got less than it requested names what is missing")
  func lacking() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a", ["scope": "read", "refresh_token": nil]))
    #expect(
      await record.addDevice(RecordedServer.issuer, "--scope", "read write offline_access") == 0
    )
    let said = record.err.joined(separator: "\n")
    #expect(said.contains("the server did not grant write\n"), "\(said)")
    #expect(said.contains("no refresh token, although offline_access was requested"), "\(said)")
  }

  @Test("A sign-in that got all that it requested has no notice")
  func all() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a", ["scope": "read"]))
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "read offline_access") == 0)
    #expect(!record.err.contains { $0.contains("grant") || $0.contains("refresh token") })
  }

  @Test("A sign-in for a resource sends it as typed, at each renewal and after an export")
  func resource() async throws {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    let typed = "https://api.example"
    #expect(
      await record.addDevice(RecordedServer.issuer, "--resource", typed) == 0,
      "\(record.err)"
    )
    #expect(server.bodies("/start").last?.hasSuffix("&resource=https%3A%2F%2Fapi.example") == true)
    #expect(record.accountFile?["resources"] == ["https://api.example"])
    for _ in 0..<2 {
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      let form = server.bodies("/token").last
      #expect(form?.hasSuffix("&client_id=client&resource=https%3A%2F%2Fapi.example") == true)
    }
    #expect(await record.acct("header", "https://api.example/x") == 0)

    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    #expect(await record.acct("export", "--all", "-o", "out") == 0)
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.run(["add", "--import", "in"]) == 0, "\(other.err)")
    #expect(other.accountFile?["resources"] == ["https://api.example"])
  }

  @Test("A second sign-in revokes nothing at a server that may end all sessions of the user")
  func replaced() async {
    let revocation: JSONObject = ["revocation_endpoint": "https://as.example/revoke"]
    let server = RecordedServer(
      record,
      metadata: revocation,
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b")
    )
    server.set("/revoke", .json("{}"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(server.bodies("/revoke").isEmpty)
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(server.bodies("/revoke").isEmpty)
  }

  @Test("A sign-in without a client id says where to register one, if the server registers none")
  func clientID() async {
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.acct("add", "--issuer", "https://as.example") == 64)
    #expect(record.requests.allSatisfy { $0.method == "GET" })
    #expect(record.err.first?.contains("--client-id is missing") == true)
    #expect(record.err.last?.contains("register a client at https://as.example") == true)
    #expect(record.err.last?.contains("http://127.0.0.1/callback") == true)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set("/start", .json(#"{"error":"invalid_client"}"#, 401))
    #expect(await record.addDevice() == 4)
    #expect(record.err.last?.contains("register a client at https://as.example") == true)
    server.set("/start", .json(#"{"error":"invalid_request","error_description":"Invalid redirect_uri"}"#, 400))
    #expect(await record.addDevice() == 11)
    #expect(record.err.last?.contains("register http://127.0.0.1/callback") == true)
  }

  @Test("A sign-in that needs a browser fails at once with --no-input, and names another way")
  func noInput() async {
    for options in [
      ["--issuer", "https://as.example", "--client-id", "client"], ["alice.example.com"],
      ["--backend", "https://app.example"], ["--session", "https://app.example"],
    ] {
      record.clear()
      #expect(await record.run(["add", "--no-input"] + options) == 4)
      #expect(record.err.first?.contains("needs a browser") == true)
    }
    #expect(record.requests.isEmpty)
    _ = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice(RecordedServer.issuer, "--no-input") == 0, "\(record.err)")
  }

  @Test(
    "A handle is accepted with the marks that people copy with it",
    arguments: ["alice.example", "@alice.example", "at://alice.example", "at://alice.example/"]
  )
  func marks(typed: String) async {
    // A name that is never resolved is refused by what it is.
    #expect(await record.acct("add", typed) == 64)
    #expect(record.err.first == "acct: handles like alice.example are never resolved")
  }

  @Test("A sign-in without a callback in time exits 4")
  func timeout() async {
    record.serve { _ throws(HTTPFailure) in .json(#"{"authUrl":"https://as.example/authorize"}"#) }
    var world = record.world()
    world.browser = Browser { _ in true }
    let schemes = SchemeHandler(
      register: { _ in
        SchemeReception(
          next: {
            let (nothing, ending) = AsyncStream.makeStream(of: Never.self)
            for await _ in nothing {}
            ending.finish()
            return nil
          },
          close: {}
        )
      },
      deliver: { _, _ throws(SchemeHandlerFailure) in throw .nobodyWaits }
    )
    let status = await Acct.run(
      ["add", "--backend", "https://app.example", "--callback", "limit://auth", "--wait", "599"],
      in: world,
      schemes: schemes,
      parsedBy: ParsedLines.parse
    )
    #expect(status == 4)
    #expect(record.err.contains { $0.contains("did not come back within 9 min") }, "\(record.err)")
    #expect(record.accountFiles == 0)
  }

  @Test(
    "An unknown option is called that, whatever else is wrong",
    arguments: [
      ["add", "--bogus"], ["add", "--issuer", "https://as.example", "--bogus=1"],
      ["add", "alice.example", "--guest", "https://a.example", "--bogus"], ["token", "--min-valid", "soon", "--bogus"],
      ["header", "a", "b", "c", "--bogus"], ["--quiet", "key", "show", "--bogus", "a", "b"],
      ["--bogus"], ["--bogus", "list"], ["--bogus=1", "list"], ["--bogus", "5", "list"],
      ["-q", "--no-color", "--bogus", "list"],
      ["--bogus", "vault", "unlock"], ["--bogus", "exec", "--", "ls"],
    ]
  )
  func unknownOption(arguments: [String]) async {
    #expect(await record.run(arguments) == 64)
    #expect(record.err.first == "acct: unknown option '--bogus'")
  }
}
