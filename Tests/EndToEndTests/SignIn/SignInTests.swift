import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --issuer` with a browser, at a server that insists on everything.
@Suite("Signing in with a browser")
struct SignInTests {
  @Test("A sign-in with DPoP, nonces and pushed requests gives headers that are accepted repeatedly")
  func strict() async throws {
    let server = try await StrictServer(["require_dpop_jkt": true])
    let home = try AcctHome()
    let added = try await home.signIn(at: server).run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(added.text.isEmpty)

    let account = try #require(try await home.accounts().first)
    #expect(account["tokenType"] == "DPoP")
    #expect(account["issuer"] == .string(server.issuer))
    #expect(account["origins"] == [.string(server.resource)])
    // `header` makes no request, so it can't know a nonce that it has not been told; everything
    // else about the proof is right.
    #expect(try await home.use(server) == "401")
    #expect(try await server.requests(to: "resource").last?["error"] == "use_dpop_nonce")
    try await server.set(["rs_nonce": false])
    #expect(try await home.use(server) == "200")
    #expect(try await home.use(server, "/resource/deep?and=wide") == "200")
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
    #expect(try await home.files(containing: secretForms).isEmpty)
  }

  @Test("A server that requires a proof with the pushed request gets one once it has said so")
  func proofWhenPushed() async throws {
    let server = try await StrictServer(["par_dpop": "required"])
    let home = try AcctHome()
    let added = try await home.signIn(at: server).run()
    #expect(added.status == 0, "\(added.errorText)")
    // Nothing in its metadata could say so beforehand, and unasked a proof upsets other servers.
    let pushed = try await server.requests(to: "par")
    #expect(pushed.map { $0["dpop"] } == [false, true])
    #expect(pushed.map { $0["status"] } == [400, 201])
    #expect(try await server.log("violations").map { $0["seq"] } == [pushed[0]["seq"]])
  }

  @Test("A server of bearer tokens gets a header without a proof, and accepts it")
  func bearer() async throws {
    let server = try await StrictServer(["dpop": "off", "par": "off"])
    let home = try AcctHome()
    let added = try await home.signIn(at: server).run()
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header")
    #expect(header.text.hasPrefix("Authorization: Bearer "))
    #expect(!header.text.contains("DPoP"))
    #expect(try await home.use(server) == "200")
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test(
    "A sign-in takes the right callback even if another request came first",
    arguments: ["wrong-state-first", "wrong-path-first", "duplicate"]
  )
  func disturbed(mood: String) async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.signIn(at: server, browser: mood).run()
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.accounts().count == 1)
    #expect(try await server.counts()["codes_redeemed"] == 1)
    try await server.expectNothingWrong()
  }

  @Test(
    "A sign-in stores nothing of an untrusted answer or a refusal",
    arguments: [("wrong-iss", 11), ("missing-iss", 11), ("deny", 4)]
  )
  func refused(mood: String, status: Int32) async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.signIn(at: server, browser: mood).run()
    #expect(added.status == status, "\(added.errorText)")
    #expect(added.text.isEmpty)
    #expect(!added.errorText.isEmpty)
    #expect(try await home.accounts().isEmpty)
    #expect(try await home.files().allSatisfy { !$0.contains("oauth.") && !$0.contains("dpop.") })
    #expect(try await server.counts()["codes_redeemed"] == 0)
    try await server.expectNothingWrong()
  }

  @Test("A pushed request's answer that is not declared as JSON is rejected")
  func mislabelledPush() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await server.fault(["endpoint": "par", "kind": "mislabelled", "count": .null])
    let added = try await home.signIn(at: server).run()
    #expect(added.status == 11)
    #expect(added.errorText.contains("JSON"), "\(added.errorText)")
    #expect(try await server.requests(to: "authorize").isEmpty)
    #expect(try await home.accounts().isEmpty)
  }

  @Test("The same identity again keeps its id and name and gets the new session")
  func again() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    let first = try await home.signIn(at: server, "--name", "work").run()
    try #require(first.status == 0, "\(first.errorText)")
    let id = try await home.accountID()
    let before = try await home.acct("token").text
    let second = try await home.signIn(at: server).run()
    try #require(second.status == 0, "\(second.errorText)")
    #expect(second.errorText.contains("renewed work"))
    #expect(try await home.accountID() == id)
    #expect(try await home.acct("token").text != before)
    #expect(try await home.use(server) == "200")
    // Another person at the same server is another account.
    try await server.set(["subject": "user-2"])
    try #require(try await home.signIn(at: server).run().status == 0)
    #expect(try await home.accounts().count == 2)
    try await server.expectNothingWrong()
  }

  @Test("The command remove ends the session at the server and leaves no trace here")
  func remove() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try #require(try await home.signIn(at: server, "--name", "me").run().status == 0)
    let removed = try await home.acct("remove", "me")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("ended the session"))
    #expect(try await server.sessions().map { $0["ended"] } == ["revoked"])
    #expect(try await home.accounts().isEmpty)
    #expect(try await home.files().allSatisfy { !$0.contains("oauth.") && !$0.contains("dpop.") })
    try await server.expectNothingWrong()
  }

  @Test(
    "The command remove says why a session was not ended, and removes the account all the same",
    arguments: [("off", "no revocation endpoint"), ("unauthorized", "401"), ("unavailable", "503")]
  )
  func removeWithoutRevocation(setting: String, said: String) async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try #require(try await home.signIn(at: server, "--name", "me").run().status == 0)
    try await server.set(["revocation": .string(setting)])
    let removed = try await home.acct("remove", "me")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("the server did not end the session of me"))
    #expect(removed.errorText.contains(said), "\(removed.errorText)")
    #expect(try await home.accounts().isEmpty)
  }
}
