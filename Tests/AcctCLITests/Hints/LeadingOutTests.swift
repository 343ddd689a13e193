import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// Each failure that ends with exit 4 prints one whole line; run, it leads out of the failure.
@Suite("The line of a failure that needs a sign-in")
struct LeadingOutTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }
  private static let url = "https://as.example/x"

  init() { server.set { $0.claims?["exp"] = 1_800_099_999 } }

  private func run(_ arguments: [String]) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: server.browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  /// The first command line of the last hint.
  private var line: String? { record.err.last.flatMap { PrintedCommands.lines(in: $0).first } }

  /// Runs a command that needs a sign-in, then its line, then the header that is wanted in the end.
  ///
  /// - Parameters:
  ///   - arguments: The command.
  ///   - expected: The line.
  ///   - values: What a person puts in place of the line's placeholders.
  ///   - url: Where the header is for.
  ///   - accounts: How many there are then.
  ///   - mend: What changes before the line is run.
  ///   - location: Of the test.
  private func expectLine(
    of arguments: [String] = ["header", Self.url],
    _ expected: String,
    _ values: [String: String] = [:],
    url: String = Self.url,
    accounts: Int = 1,
    mend: () -> Void = {},
    _ location: SourceLocation = #_sourceLocation
  ) async {
    #expect(await run(arguments) == 4, "\(record.err)", sourceLocation: location)
    #expect(line == expected, "\(record.err)", sourceLocation: location)
    guard let words = line.flatMap(PrintedCommands.words) else { return }
    mend()
    let filled = words.dropFirst().map { values[$0] ?? $0 }
    #expect(await run(filled) == 0, "\(filled): \(record.err)", sourceLocation: location)
    #expect(await run(["header", url]) == 0, "\(record.err)", sourceLocation: location)
    #expect(record.accountFiles == accounts, sourceLocation: location)
  }

  @Test(
    "A session that has ended leads to the login of its account, for each command",
    arguments: [
      ["header", Self.url], ["token"], ["refresh", "--force"], ["request", Self.url], ["exec", "--", "true"],
    ]
  )
  func ended(command: [String]) async {
    #expect(await server.add() == 0)
    record.now += 3600
    server.set { $0.renewalError = "invalid_grant" }
    await expectLine(of: command, "acct login alice@as.example")
    record.now += 3600
    #expect(await run(["status"]) == 0)
    _ = await run(["header", Self.url])
    #expect(await run(["status"]) == 4)
    #expect(record.out.contains("`acct login alice@as.example`"))
    #expect(await run(["doctor", "--offline"]) == 1)
    #expect(record.out.contains("`acct login alice@as.example`"))
  }

  @Test("A token that can't be renewed leads to the login when it has expired, and when a renewal is wanted")
  func notRenewable() async {
    server.set { $0.answer = ["refresh_token": .null] }
    #expect(await server.add() == 0)
    await expectLine(of: ["refresh", "--force"], "acct login alice@as.example")
    record.now += 3600
    await expectLine("acct login alice@as.example")
  }

  @Test("A token whose item is gone leads to the login")
  func signedOut() async throws {
    #expect(await server.add() == 0)
    try await record.keyring.lose()
    await expectLine("acct login alice@as.example")
  }

  @Test("A half-replaced or damaged item leads to the login", arguments: [ItemKind.accessToken, .refreshToken])
  func damaged(kind: ItemKind) async {
    #expect(await server.add() == 0)
    record.keyring.put(kind, Secret("two words"))
    #expect(await run(["refresh", "--force"]) == 65, "\(record.err)")
    #expect(line == "acct login alice@as.example", "\(record.err)")
    #expect(await run(["login", "alice@as.example"]) == 0, "\(record.err)")
    #expect(await run(["header", Self.url]) == 0, "\(record.err)")
  }

  @Test("A client that the server refuses leads to the login with another one")
  func client() async {
    for code in ["invalid_client", "unauthorized_client"] {
      #expect(await server.add() == 0)
      record.now += 3600
      server.set { $0.renewalError = code }
      await expectLine("acct login alice@as.example --client-id ID", ["ID": "other"]) {
        server.set {
          $0.renewalError = nil
          $0.client = "other"
          $0.claims?["aud"] = "other"
        }
      }
      server.set {
        $0.client = "client"
        $0.claims?["aud"] = "client"
      }
      #expect(await run(["remove", "--local", "alice@as.example"]) == 0)
    }
  }

  @Test(
    "A scope that the server refuses leads to the login with the server's usual one, which is asked for from then on"
  )
  func scope() async {
    #expect(await server.add(scope: "openid more") == 0)
    record.now += 3600
    server.set { $0.renewalError = "invalid_scope" }
    await expectLine("acct login alice@as.example --scope ''") { server.set { $0.renewalError = nil } }
    #expect(server.browser.parameters["scope"] == nil)
    #expect(await run(["login"]) == 0)
    #expect(server.browser.parameters["scope"] == nil)
  }

  @Test("A resource that the server refuses leads to a sign-in without it")
  func resource() async {
    #expect(await server.add("--resource", "https://as.example/api") == 0)
    record.now += 3600
    server.set { $0.renewalError = "invalid_target" }
    // What is for another resource is another account.
    await expectLine("acct add --issuer https://as.example --client-id client --scope openid", accounts: 2) {
      server.set { $0.renewalError = nil }
    }
    #expect(server.browser.parameters["resource"] == nil)
  }

  @Test(
    "A login whose request the server refuses leads to the login that changes it",
    arguments: [
      ("invalid_scope", "acct login alice@as.example --scope ''"),
      ("unauthorized_client", "acct login alice@as.example --client-id ID"),
      ("access_denied", "acct login alice@as.example"),
    ]
  )
  func refusedLogin(code: String, expected: String) async {
    #expect(await server.add() == 0)
    server.browser.refuse(code)
    await expectLine(of: ["login"], expected, ["ID": "client"]) { server.browser.refuse(nil) }
  }

  @Test("A login without a person who may be asked leads to the login")
  func noInput() async {
    #expect(await server.add() == 0)
    await expectLine(of: ["login", "--no-input"], "acct login alice@as.example")
  }

  @Test("A rejected static token, a gone one and an expired one lead to the login that stores a new one")
  func staticToken() async throws {
    let options = ["--name", "work", "--expires", "2027-02-01"]
    record.secretFiles["token"] = "old"
    #expect(await run(["add", "--token", "token", "--allow-origin", "https://as.example"] + options) == 0)
    record.serve(401, "no")
    record.answer("new")
    await expectLine(of: ["request", Self.url], "acct login work")
    record.serve(401, "no")
    record.answer("newer")
    _ = await run(["request", Self.url])
    record.now += 60
    record.serve(401, "no")
    _ = await run(["request", Self.url])
    await expectLine("acct login work")
    try await record.keyring.lose()
    record.answer("newest")
    await expectLine("acct login work")
    #expect(await run(["refresh", "--force"]) == 4)
    #expect(line == "acct login work")
  }

  @Test("A guest whose session is over gets a new one by the login")
  func guest() async {
    #expect(await record.addGuest() == 0)
    record.now += 900
    record.serve(200, Guests.answer(Guests.token("g2", exp: 1_800_009_000)))
    let url = "https://api.example/x"
    await expectLine(of: ["header", url], "acct login guest@api.example", url: url)
  }

  @Test("An import that names no server leads to another import of the same account")
  func imported() async {
    #expect(await record.add(Handoffs.bearer(changing: ["issuer": .null])) == 0, "\(record.err)")
    #expect(await run(["allow", "bob.example.com", "https://as.example"]) == 0)
    record.now += 3600
    record.provide("file", Handoffs.bearer(changing: ["issuer": .null, "expires_in": 9000]))
    #expect(await run(["header", Self.url]) == 4)
    #expect(line == "acct login bob.example.com")
    await expectLine(of: ["login"], "acct add --import FILE --name bob.example.com", ["FILE": "file"])
  }

  @Test("A client's secret that is gone from the keyring leads to the login that takes it again")
  func clientSecret() async throws {
    record.secretFiles["secret"] = "made-up-secret"
    #expect(await server.add("--client-secret-file", "secret", "--client-auth", "post") == 0, "\(record.err)")
    record.now += 3600
    try await record.keyring.lose([.clientSecret])
    let expected = "acct login alice@as.example --client-secret-file FILE"
    await expectLine(expected, ["FILE": "secret"])
  }

  @Test("A request that needs a scope leads to the login with it beside those that were asked for")
  func stepUp() async {
    // It was granted less than it asked for, and asks for all again.
    server.set { $0.answer = ["scope": "openid"] }
    #expect(await server.add(scope: "openid read") == 0)
    let challenge = ("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="write""#)
    server.set { $0.userinfo = .json("{}", 403, challenge) }
    await expectLine(
      of: ["request", "https://as.example/me"],
      "acct login alice@as.example --scope 'openid read write'"
    ) {
      server.set { $0.userinfo = .json(#"{"sub":"alice"}"#) }
    }
    #expect(server.browser.parameters["scope"] == "openid read write")
  }

  @Test("A helper names the account whose credential can't be had")
  func helper() async {
    #expect(await server.add() == 0)
    record.now += 3600
    server.set { $0.renewalError = "invalid_grant" }
    #expect(await record.git("protocol=https", "host=as.example") == 0)
    #expect(line == "acct login alice@as.example", "\(record.err)")
  }
}
