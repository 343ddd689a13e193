import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Registrations that their server lets acct manage (RFC 7592).
@Suite("A client that its server lets acct delete")
struct ManagedClientTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()

  private func acct(_ arguments: String...) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  private func add(_ name: String, _ scope: String = "read") async -> Int32 {
    await acct("add", "--issuer", RecordedServer.issuer, "--name", name, "--scope", scope)
  }

  /// The requests that delete a client: the path, and the token.
  private var deletions: [String] {
    record.requests.filter { $0.method == "DELETE" }.map { request in
      let field = request.fields.first { $0.name == "Authorization" }.map { RowServer.text($0.value) }
      return "\(request.url.path) \(field ?? "")"
    }
  }

  private static let deleted = ["/clients/c-1 Bearer rat-made-up-c-1"]

  @Test(
    "The last account's removal deletes it with its token, whatever the server answers",
    arguments: [204, 403, 500]
  )
  func removed(status: Int) async {
    let server = ForgettingServer(record)
    server.answerDeletions(status)
    #expect(await add("n") == 0, "\(record.err)")
    #expect(!record.filesText.contains("rat-made-up"))
    // It stays with the account at the next sign-in.
    #expect(await acct("login", "n") == 0, "\(record.err)")
    #expect(await acct("remove", "n") == 0, "\(record.err)")
    #expect(deletions == Self.deleted)
    let isTold = record.err.contains { $0.contains("did not delete the client that it registered for n: ") }
    #expect(isTold == (status != 204), "\(record.err)")
    #expect(record.keyring.count == 0 && record.file(.clients)?.contains("c-1") == false)
    #expect(await add("n") == 0, "\(record.err)")
    #expect(server.registrations == 2 && browser.parameters["client_id"] == "c-2")
  }

  @Test("`remove --local` sends no request and drops the client")
  func local() async {
    let server = ForgettingServer(record)
    #expect(await add("n") == 0, "\(record.err)")
    #expect(await acct("remove", "n", "--local") == 0, "\(record.err)")
    #expect(deletions.isEmpty)
    #expect(await add("n") == 0, "\(record.err)")
    #expect(server.registrations == 2)
  }

  @Test("An export has no access to the client's registration")
  func exported() async {
    _ = ForgettingServer(record)
    #expect(await add("n") == 0, "\(record.err)")
    #expect(record.keyring.items.values.first?[.registration] != nil)
    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    #expect(await acct("export", "n", "-o", "out") == 0, "\(record.err)")
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.run(["add", "--import", "in"]) == 0, "\(other.err)")
    #expect(other.keyring.items.values.first?[.refreshToken] != nil)
    #expect(other.keyring.items.values.first?[.registration] == nil)
  }

  @Test("A client stays registered as long as another account has it")
  func shared() async {
    let server = ForgettingServer(record)
    #expect(await add("n") == 0, "\(record.err)")
    server.signIn(as: "bob")
    #expect(await add("m") == 0 && server.registrations == 1, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await acct("remove", "n") == 0, "\(record.err)")
    #expect(deletions.isEmpty && record.file(.clients)?.contains("c-1") == true)
    // The second account has the token as well.
    #expect(await acct("remove", "m") == 0, "\(record.err)")
    #expect(deletions == Self.deleted && record.file(.clients)?.contains("c-1") == false)
  }

  @Test("A client stays registered as long as the user names it for another account")
  func named() async {
    let server = ForgettingServer(record)
    #expect(await add("n") == 0, "\(record.err)")
    server.signIn(as: "bob")
    let line = ["add", "--issuer", RecordedServer.issuer, "--name", "m", "--scope", "read", "--client-id", "c-1"]
    record.clear()
    let world = browser.world(of: record)
    #expect(await Acct.run(line, in: world, parsedBy: ParsedLines.parse) == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await acct("remove", "n") == 0, "\(record.err)")
    #expect(deletions.isEmpty)
  }

  @Test("An address at another server gets no token")
  func elsewhere() async {
    _ = RecordedServer(
      record,
      [
        RecordedServer.place: [
          RecordedServer.metadata([
            "registration_endpoint": "https://as.example/clients",
            "authorization_endpoint": "https://as.example/authorize",
          ])
        ],
        "/clients": [
          .json(
            """
            {"client_id":"c-1","registration_access_token":"rat-made-up",
             "registration_client_uri":"https://evil.example/clients/c-1"}
            """,
            201
          )
        ],
        "/token": [RecordedServer.tokens("a")],
      ]
    )
    #expect(await add("n") == 0, "\(record.err)")
    #expect(record.keyring.items.values.first?[.registration] == nil)
    #expect(await acct("remove", "n") == 0, "\(record.err)")
    #expect(deletions.isEmpty)
  }
}
