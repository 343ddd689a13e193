import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// What a server refuses that only the user can change: the client, the scope, the resource.
@Suite("A refused client, scope or resource")
struct RefusedRequestTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()
  private static let codes = ["invalid_client", "unauthorized_client", "invalid_scope", "invalid_target"]
  private static let metadata: JSONObject = [
    "authorization_endpoint": "https://as.example/authorize",
    "pushed_authorization_request_endpoint": "https://as.example/par",
    "revocation_endpoint": "https://as.example/revoke",
    "dpop_signing_alg_values_supported": ["ES256"],
  ]

  private static func refusal(_ code: String, _ status: Int = 400) -> HTTPResponse {
    .json(#"{"error":"\#(code)","error_description":"no \#(code)"}"#, status)
  }

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "app one"] + options,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
  }

  private var said: String { record.err.joined(separator: "\n") }

  @Test("A pushed request that is refused ends the sign-in at once, exit 4", arguments: codes)
  func pushed(code: String) async {
    let server = RecordedServer(record, metadata: Self.metadata, tokens: RecordedServer.tokens("a"))
    server.set("/par", Self.refusal(code, code == "invalid_client" ? 401 : 400))
    let options = ["--scope", "read", "--resource", "https://api.example"]
    #expect(await add(options[0], options[1], options[2], options[3]) == 4, "\(record.err)")
    #expect(browser.addresses.isEmpty)
    // Not once more with a proof: a failed authentication counts.
    #expect(server.bodies("/par").count == 1)
    #expect(server.bodies("/token").isEmpty)
    let named =
      switch code {
      case "invalid_scope": "read"
      case "invalid_target": "https://api.example"
      default: "'app one'"
      }
    #expect(record.err.first?.contains(named) == true, "\(record.err)")
    #expect(record.err.first?.contains("\(code): no \(code)") == true, "\(record.err)")
    #expect(record.err.last?.hasPrefix("acct: hint: ") == true, "\(record.err)")
    #expect(record.accountFiles == 0)
  }

  @Test("A pushed request that is refused without a reason names the client and its redirect address, exit 4")
  func unexplained() async {
    var metadata = Self.metadata
    metadata["require_pushed_authorization_requests"] = true
    let server = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"))
    server.set("/par", HTTPResponse(status: 403, fields: [("Content-Type", "text/html")], body: Secret("<p>no")))
    #expect(await add() == 4, "\(record.err)")
    #expect(record.err.first == "acct: https://as.example refused the request for a sign-in (403) without a reason")
    #expect(record.err.last?.contains("its redirect address http://127.0.0.1") == true, "\(record.err)")
    #expect(browser.addresses.isEmpty && record.accountFiles == 0)
  }

  @Test(
    "A pushed request that is refused in another way goes to the browser, with a notice",
    arguments: [("invalid_request", 400), ("access_denied", 403), ("not_here", 404)]
  )
  func notPushed(code: String, status: Int) async {
    let server = RecordedServer(record, metadata: Self.metadata, tokens: RecordedServer.tokens("a"))
    server.set("/par", Self.refusal(code, status))
    #expect(await add("--no-dpop") == 0, "\(record.err)")
    #expect(browser.parameters["code_challenge"] != nil)
    #expect(said.contains("takes no pushed request"), "\(said)")
  }

  @Test("A code that is refused at the token endpoint ends the sign-in with exit 4", arguments: codes)
  func code(code: String) async {
    let server = RecordedServer(
      record,
      metadata: ["authorization_endpoint": "https://as.example/authorize"],
      tokens: Self.refusal(code)
    )
    #expect(await add("--scope", "read") == 4, "\(record.err)")
    #expect(server.bodies("/token").count == 1)
    #expect(said.contains("\(code): no \(code)"), "\(said)")
    #expect(record.accountFiles == 0)
  }

  @Test("A device sign-in that is refused exits 4, at its start and at its end", arguments: codes)
  func device(code: String) async {
    let server = RecordedServer(record, tokens: Self.refusal(code))
    #expect(await record.addDevice() == 4, "\(record.err)")
    server.set("/start", Self.refusal(code))
    #expect(await record.addDevice() == 4, "\(record.err)")
    #expect(record.err.first?.contains("\(code): no \(code)") == true, "\(record.err)")
  }

  /// An account whose token has so many seconds left.
  private func account(leaving seconds: Int64) async -> RecordedServer {
    record.secretFiles["secret"] = "made-up-secret\n"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(
      await record.addDevice(
        RecordedServer.issuer,
        "--scope",
        "read",
        "--resource",
        "https://api.example",
        "--client-secret-file",
        "secret"
      ) == 0,
      "\(record.err)"
    )
    record.now += 3600 - seconds
    return server
  }

  private var status: JSONObject? {
    get async {
      #expect([0, 4].contains(await record.acct("status", "--json")))
      return record.json?.objectValue?["account"]?.objectValue
    }
  }

  private static func remedy(of code: String) -> String {
    switch code {
    case "invalid_scope": "`acct login alice@as.example --scope ''`"
    case "invalid_target": "`acct add --issuer https://as.example"
    default: "`acct login alice@as.example --client-id ID"
    }
  }

  @Test("A refused renewal is told while the token lives, and exits 4 once it is past", arguments: codes)
  func renewal(code: String) async {
    let server = await account(leaving: 200)
    server.set("/token", Self.refusal(code, code == "invalid_client" ? 401 : 400))
    #expect(await record.acct("header", "https://api.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-a-long-enough\n")
    #expect(said.contains("could not be renewed"), "\(said)")
    #expect(said.contains("\(code): no \(code)"), "\(said)")
    #expect(await record.acct("status") == 0, "\(record.err)")
    #expect(record.out.contains("\(code): no \(code)"), "\(record.out)")
    #expect(await status?["reason"]?.stringValue?.contains("\(code): no \(code)") == true)
    #expect(await status?["state"] == "expiring")

    record.now += 200
    #expect(await record.acct("status") == 4)
    #expect(record.out.contains("\(code): no \(code)"), "\(record.out)")
    #expect(record.out.contains(Self.remedy(of: code)), "\(record.out)")
    #expect(await status?["state"] == "expired")
    #expect(await record.acct("header", "https://api.example/x") == 4)
    #expect(record.err.first?.contains("\(code): no \(code)") == true, "\(record.err)")
    #expect(
      record.err.last?.contains(Self.remedy(of: code)) == true,
      "\(record.err)"
    )
    #expect(await record.acct("refresh") == 4)

    // The server takes it again.
    server.set("/token", RecordedServer.tokens("b"))
    #expect(await record.acct("header", "https://api.example/x") == 0, "\(record.err)")
    #expect(record.out == "Authorization: Bearer at-b-long-enough\n")
    #expect(await status?["reason"] == .null)
    #expect(await status?["state"] == "valid")
  }

  @Test("A new sign-in clears what a refused renewal left")
  func again() async {
    let server = await account(leaving: 200)
    server.set("/token", Self.refusal("invalid_client", 401))
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(await status?["reason"] != .null)
    server.set("/token", RecordedServer.tokens("b"))
    #expect(
      await record.addDevice(
        RecordedServer.issuer,
        "--resource",
        "https://api.example",
        "--client-secret-file",
        "secret"
      ) == 0,
      "\(record.err)"
    )
    #expect(record.accountFiles == 1)
    #expect(await status?["reason"] == .null)
  }

  @Test("A renewal without an answer keeps what a refused one left")
  func unanswered() async {
    let server = await account(leaving: 200)
    server.set("/token", Self.refusal("invalid_client", 401))
    #expect(await record.acct("refresh", "--force") == 4)
    server.set("/token", .json("{}", 503))
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(
      await status?["reason"]?.stringValue?.contains("invalid_client: no invalid_client") == true
    )
  }

  @Test("A refused second token exits 4 and changes nothing of the account", arguments: codes)
  func second(code: String) async {
    let server = await account(leaving: 3600)
    let file = record.accountFile
    server.set("/token", Self.refusal(code))
    #expect(await record.acct("token", "--audience", "https://b.example") == 4, "\(record.err)")
    #expect(record.err.first?.contains("\(code): no \(code)") == true, "\(record.err)")
    for member in ["standing", "reason", "renewalRefused", "renewalStartedAt", "expiresAt"] {
      #expect(record.accountFile?[member] == file?[member], "\(member)")
    }
    #expect(await status?["reason"] == .null)
    #expect(await record.acct("header", "https://api.example/x") == 0)
    #expect(record.err.isEmpty, "\(record.err)")
  }

  @Test("A secret that Basic refuses is sent in no other way, and the hint names the other way")
  func basic() async {
    record.secretFiles["secret"] = "made-up-secret\n"
    let server = RecordedServer(record, tokens: Self.refusal("invalid_client", 401))
    let options = ["--client-secret-file", "secret"]
    #expect(await record.addDevice(RecordedServer.issuer, options[0], options[1]) == 4)
    #expect(server.bodies("/token").count == 1)
    #expect(server.bodies("/token").allSatisfy { !$0.contains("client_secret") })
    #expect(record.err.last?.contains("--client-auth post") == true, "\(record.err)")
    #expect(record.err.last?.contains("--client-secret-file") == true, "\(record.err)")
    #expect(
      await record.addDevice(RecordedServer.issuer, options[0], options[1], "--client-auth", "post") == 4
    )
    #expect(record.err.last?.contains("--client-auth basic") == true, "\(record.err)")
  }

  @Test("A server without metadata is an error that names the options in its place")
  func noMetadata() async {
    _ = RecordedServer(record, [:])
    #expect(await record.addDevice() == 11)
    for option in ["--token-url", "--authorize-url", "--client-auth post"] {
      #expect(record.err.last?.contains(option) == true, "\(option): \(record.err)")
    }
  }
}
