import AcctTestSupport
import StrictJSON
import Testing

/// What servers do that are less strict than the RFCs, or strict in other places.
@Suite("A sign-in, and what comes after it")
struct ServerVarietyTests {
  @Test("A sign-in names its resource as typed, to the browser, with the code and at each renewal")
  func resource() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.signIn(at: server, "--scope", "openid offline_access").run()
    try #require(added.status == 0, "\(added.errorText)")
    for _ in 0..<2 { #expect(try await home.acct("refresh", "--force").status == 0) }
    let typed = JSON.array([.string(server.resource)])
    let pushed = try await server.requests(to: "par")
    #expect(pushed.allSatisfy { $0["resource"] == typed && $0["prompt"] == "consent" })
    let granted = try await server.requests(to: "token").filter { $0["status"] == 200 }
    #expect(
      granted.map { $0["grant_type"] } == ["authorization_code", "refresh_token", "refresh_token"]
    )
    #expect(granted.allSatisfy { $0["resource"] == typed })
    try await server.expectNothingWrong()
  }

  @Test("A client that may not push a request, and need not, continues in the browser")
  func refusedPush() async throws {
    let server = try await StrictServer(["par": "offered"])
    let home = try AcctHome()
    func fault(_ error: String, _ status: Int64) -> JSON {
      [
        "endpoint": "par", "kind": "error", "error": .string(error),
        "status": .number(JSONNumber(status)), "count": .null,
      ]
    }
    try await server.fault(fault("access_denied", 403))
    let added = try await home.signIn(at: server).run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(added.errorText.contains("takes no pushed request of this client"))
    let opened = try #require(try await server.requests(to: "authorize").last)
    #expect(opened["query_names"]?.arrayValue?.contains("code_challenge") == true)
    #expect(opened["query_names"]?.arrayValue?.contains("dpop_jkt") == true)
    try await server.expectNothingWrong()
    // Where it has to push, the refusal is the answer.
    let strict = try await StrictServer()
    try await strict.fault(fault("access_denied", 403))
    let refused = try await home.signIn(at: strict).run()
    #expect(refused.status == 11)
    #expect(refused.errorText.contains("refused (403): access_denied"), "\(refused.errorText)")
    #expect(try await strict.requests(to: "authorize").isEmpty)
  }

  @Test(
    "A client that a server does not know when it pushes its request ends the sign-in with 4",
    arguments: ["offered", "required"]
  )
  func unknownClient(par: String) async throws {
    let server = try await StrictServer(["par": .string(par)])
    let home = try AcctHome()
    try await server.fault([
      "endpoint": "par", "kind": "error", "error": "invalid_client", "status": 401, "count": .null,
    ])
    let refused = try await home.signIn(at: server).run()
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("does not accept the client"), "\(refused.errorText)")
    #expect(refused.errorText.contains("(401): invalid_client"), "\(refused.errorText)")
    #expect(try await server.requests(to: "authorize").isEmpty)
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A device sign-in continues where the server reports a pending code with 200")
  func pendingWith200() async throws {
    let server = try await StrictServer(["device_interval": 1, "device_approve_after": 0])
    let home = try AcctHome()
    try await server.fault([
      "endpoint": "token", "kind": "error", "error": "authorization_pending", "status": 200,
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
    ])
    let added = try await home.signIn(at: server, browser: nil, "--device").run()
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await server.requests(to: "token").last?["status"] == 200)
    try await server.expectNothingWrong()
  }

  @Test("A second sign-in with another scope is the same account, and ends no session")
  func replaced() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    try #require(try await home.signIn(at: server).run().status == 0)
    let again = try await home.signIn(at: server, "--scope", "notes").run()
    try #require(again.status == 0, "\(again.errorText)")
    #expect(try await server.sessions().map { $0["ended"] } == [.null, .null])
    #expect(try await home.accounts().count == 1)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("A sign-in whose browser never comes back ends after --wait, and leaves nothing")
  func wait() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.signIn(at: server, browser: "nothing", "--wait", "1").run()
    #expect(added.status == 4)
    #expect(added.errorText.contains("did not come back within 1 s"), "\(added.errorText)")
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A sign-in with --no-input fails at once where it needs a browser")
  func noInput() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.signIn(at: server, "--no-input").run()
    #expect(added.status == 4)
    #expect(try await server.requests(to: "metadata").isEmpty)
  }

  @Test("A request names the program to every server, unless the user names another")
  func userAgent() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    for (options, expected) in [([], "acct/"), (["-H", "User-Agent: mine/1"], "mine/1")] {
      let answer = try await home.command(["request", "\(server.url)/echo"] + options).run()
      let headers = try JSON(parsing: answer.standardOutput)["headers"]?.arrayValue ?? []
      let agents = headers.filter { $0.arrayValue?.first?.stringValue?.lowercased() == "user-agent" }
      #expect(agents.count == 1)
      #expect(agents.first?.arrayValue?.last?.stringValue?.hasPrefix(expected) == true)
    }
  }
}
