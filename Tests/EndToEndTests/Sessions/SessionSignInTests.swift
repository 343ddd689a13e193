import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --session` at a backend over real sockets.
@Suite("Signing in at a backend that keeps the session")
struct SessionSignInTests {
  @Test("A sign-in with a handle uses PKCE and stores the sealed session that the backend confirms")
  func withHandle() async throws {
    let scene = try await SessionScene(["display_name": "Alice"])
    let said = try await scene.signIn("--callback", "anchor://auth-callback")
    #expect(!said.contains("Fe26"))
    #expect(try await scene.backend.asked() == ["mobile-start", "session"])
    let account = try await scene.account()
    #expect(account["name"] == "alice.example.com")
    #expect(account["kind"] == "session")
    #expect(account["tokenType"] == "session")
    #expect(account["did"] == "did:plc:alice")
    #expect(account["displayName"] == "Alice")
    #expect(account["service"] == .string(scene.backend.address))
    #expect(account["origins"] == [.string(scene.backend.address)])
    #expect(account["state"] == "valid")
    #expect(account["expiresAt"]?.stringValue != nil)
    #expect(account["validatedAt"]?.stringValue != nil)
    let url = "\(scene.backend.address)/api/anything"
    let cookie = try await scene.home.acct("header", url)
    #expect(cookie.text.hasPrefix("Cookie: sid=Fe26.2*1*"))
    let bearer = try await scene.home.acct("header", "--bearer", url)
    #expect(bearer.text.hasPrefix("Authorization: Bearer Fe26.2*1*"))
    #expect(try await scene.home.acct("header", scene.backend.elsewhere).status == 8)
    #expect(try await scene.home.files(containing: #"Fe26\.2"#).isEmpty)
    try await scene.expectNothingWrong()
  }

  @Test("A sign-in without a handle opens the backend's own page, which asks for it")
  func withoutHandle() async throws {
    let scene = try await SessionScene()
    let signIn = try await scene.waiting([])
    #expect(signIn.waiting.address == "\(scene.backend.address)/mobile-auth")
    try signIn.paste(try await scene.backend.callback(from: signIn.waiting.address))
    #expect(await signIn.waiting.process.ended() == 0, "\(signIn.waiting.said)")
    #expect(try await scene.home.accounts().count == 1)
    try await scene.expectNothingWrong()
  }

  @Test("A sign-in takes a callback on the loopback listener from the browser that acct opens")
  func loopback() async throws {
    let port = try FreePort()
    let callback = "http://127.0.0.1:\(port.number)/callback"
    let scene = try await SessionScene(["callback": .string(callback)])
    var command = scene.home.command(
      ["add", "--session", scene.backend.address, "@alice.example.com", "--callback", callback]
    )
    command.environment["BROWSER"] = StrictServer.browser
    let added = try await command.run()
    #expect(added.status == 0, "\(added.errorText)")
    try await scene.expectNothingWrong()
  }

  @Test("A repeated sign-in renews the account and clears the end of its session")
  func again() async throws {
    let scene = try await SessionScene()
    try await scene.signIn()
    let id = try await scene.home.accountID()
    try await scene.backend.end("session_invalid")
    #expect(try await scene.home.acct("status", "--check").status == 4)
    try await scene.signIn()
    #expect(try await scene.home.accountID() == id)
    #expect(try await scene.home.acct("header").status == 0)
  }

  @Test("A sign-in that the backend can't confirm succeeds with a warning and an unknown end")
  func unreachable() async throws {
    for kind in ["500", "reset"] {
      let scene = try await SessionScene()
      try await scene.backend.fault(["endpoint": "session", "kind": .string(kind)])
      let said = try await scene.signIn()
      #expect(said.contains("could not be checked yet"))
      let account = try await scene.account()
      #expect(account["expiresAt"] == .null)
      #expect(account["validatedAt"] == .null)
      #expect(account["state"] == "valid")
      #expect(try await scene.home.acct("header").status == 0)
      #expect(try await scene.backend.asked() == ["mobile-start", "session"])
      _ = try await scene.json("status", "--check")
      #expect(try await scene.account()["expiresAt"]?.stringValue != nil)
    }
  }
}
