import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --session` at a backend over real sockets.
@Suite("Signing in at a backend that keeps the session")
struct SessionSignInTests {
  @Test("with a handle starts with PKCE, and keeps the sealed session that the backend confirms")
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
    #expect(try await scene.home.files(holding: #"Fe26\.2"#).isEmpty)
    try await scene.expectNothingWrong()
  }

  @Test("without one opens the backend's own page, which asks for it")
  func withoutHandle() async throws {
    let scene = try await SessionScene()
    let signIn = try await scene.waiting([])
    #expect(signIn.waiting.address == "\(scene.backend.address)/mobile-auth")
    try signIn.paste(try await scene.backend.callback(from: signIn.waiting.address))
    #expect(await signIn.waiting.process.ended() == 0, "\(signIn.waiting.said)")
    #expect(try await scene.home.accounts().count == 1)
    try await scene.expectNothingWrong()
  }

  @Test("takes a callback on the loopback listener, from a browser that acct opens")
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

  @Test("again renews the account that is there, and clears the server's word")
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

  @Test(
    "that the backend will not start exits 4 with its words",
    arguments: ["Invalid handle", "Missing code_challenge", "Couldn't initiate login"]
  )
  func startRefused(words: String) async throws {
    for isAlone in [false, true] {
      let scene = try await SessionScene([
        "start_error": .string(words), "start_error_alone": .bool(isAlone),
      ])
      let add = try await scene.home.acct(
        "add",
        "--session",
        scene.backend.address,
        "a.example.com"
      )
      #expect(add.status == 4)
      #expect(add.errorText.contains(words))
      #expect(try await scene.home.accounts().isEmpty)
    }
  }

  @Test(
    "sends nobody to an address that is none",
    arguments: [
      "http://pds.example/", "https://user@pds.example/", "javascript:alert(1)", "", nil,
    ] as [String?]
  )
  func badAddress(address: String?) async throws {
    let scene = try await SessionScene(["start_override": ["authUrl": .init(address)]])
    let add = try await scene.home.acct("add", "--session", scene.backend.address, "a.example.com")
    #expect(add.status == 11, "\(add.errorText)")
    #expect(try await scene.home.accounts().isEmpty)
  }

  @Test("does not believe a forged callback, and goes on waiting for the right one")
  func forged() async throws {
    let scene = try await SessionScene()
    let signIn = try await scene.waiting([
      "alice.example.com", "--callback", "anchor://auth-callback",
    ])
    let right = try await scene.backend.callback(from: signIn.waiting.address)
    let forgeries = [
      right.replacing("anchor://", with: "other://"),
      right.replacing("//auth-callback", with: "//elsewhere"),
      right.replacing("anchor://auth-callback", with: "https://evil.test/auth-callback"),
      right.replacing("alice.example.com", with: "mallory.example.com"),
      right.replacing("did%3Aplc%3Aalice", with: "alice"),
      right.replacing("did=", with: "was="),
      right.replacing("handle=alice.example.com", with: "handle=-"),
      right.replacing("Fe26.2%2A", with: "Fe27.2%2A"),
      right.replacing("session_token=Fe26", with: "session_token=a%3B%20sid%3DFe26"),
      right + "&handle=alice.example.com",
      right + "&session_token=Fe26.2*1*forged",
      "anchor://auth-callback",
      "not an address",
    ]
    for forgery in forgeries {
      #expect(forgery != right)
      let said = signIn.waiting.said
      try signIn.paste(forgery)
      try await signIn.waiting.process.ready {
        signIn.waiting.said.dropFirst(said.count).contains("\n")
      }
      #expect(signIn.waiting.said.dropFirst(said.count).contains("not the callback"), "\(forgery)")
    }
    #expect(try await scene.backend.asked() == ["mobile-start"])
    try signIn.paste(right)
    #expect(await signIn.waiting.process.ended() == 0, "\(signIn.waiting.said)")
    #expect(!signIn.waiting.said.contains("Fe26"))
    try await scene.expectNothingWrong()
  }

  @Test("ends where the backend does not confirm what the callback brought")
  func notConfirmed() async throws {
    let words: [(JSON, Int32)] = [
      (["session_override": ["did": "did:plc:mallory"]], 11),
      (["session_override": ["handle": "mallory.example.com", "userHandle": .null]], 11),
      (["session_override": ["valid": "yes"]], 11),
      (["reason": "session_invalid"], 4),
      (["callback_override": ["session_token": "Fe26.2*1*forged"]], 4),
    ]
    for (settings, status) in words {
      let scene = try await SessionScene(settings)
      let signIn = try await scene.waiting()
      try signIn.paste(try await scene.backend.callback(from: signIn.waiting.address))
      #expect(await signIn.waiting.process.ended() == status, "\(signIn.waiting.said)")
      #expect(try await scene.home.accounts().isEmpty)
    }
  }

  @Test("is done with a warning where the backend can't be asked; then its end is not known")
  func unreachable() async throws {
    for kind in ["500", "reset"] {
      let scene = try await SessionScene()
      try await scene.backend.fault(["endpoint": "session", "kind": .string(kind)])
      let said = try await scene.signIn()
      #expect(said.contains("not checked yet"))
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
