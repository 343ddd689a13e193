import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --session` at a backend over real sockets, and the answers that it rejects.
@Suite("Failed sign-ins at a backend that keeps the session")
struct SessionSignInRefusalTests {
  @Test(
    "A sign-in that the backend rejects at its start exits 4 with its words",
    arguments: ["Invalid handle", "Missing code_challenge", "Couldn't initiate login"]
  )
  func startRefused(words: String) async throws {
    for isAlone in [false, true] {
      let scene = try await SessionScene(["start_error": .string(words), "start_error_alone": .bool(isAlone)])
      let add = try await scene.home.acct("add", "--session", scene.backend.address, "a.example.com")
      #expect(add.status == 4)
      #expect(add.errorText.contains(words))
      #expect(try await scene.home.accounts().isEmpty)
    }
  }

  @Test(
    "A sign-in that the backend can't start reports the failure",
    arguments: [("500", 11), ("429", 9), ("reset", 10), ("html", 11), ("redirect", 11)]
  )
  func startFails(kind: String, status: Int32) async throws {
    let scene = try await SessionScene()
    try await scene.backend.fault(["endpoint": "mobile-start", "kind": .string(kind)])
    let add = try await scene.home.acct("add", "--session", scene.backend.address, "a.example.com")
    #expect(add.status == status, "\(add.errorText)")
    #expect(try await scene.home.accounts().isEmpty)
    try await scene.expectNothingWrong()
  }

  @Test(
    "A sign-in whose address is invalid opens nothing",
    arguments: ["http://pds.example/", "https://user@pds.example/", "javascript:alert(1)", "", nil] as [String?]
  )
  func badAddress(address: String?) async throws {
    let scene = try await SessionScene(["start_override": ["authUrl": .init(address)]])
    let add = try await scene.home.acct("add", "--session", scene.backend.address, "a.example.com")
    #expect(add.status == 11, "\(add.errorText)")
    #expect(try await scene.home.accounts().isEmpty)
  }

  @Test("A sign-in rejects a forged callback and waits for the right one")
  func forged() async throws {
    let scene = try await SessionScene()
    let signIn = try await scene.waiting(["alice.example.com", "--callback", "anchor://auth-callback"])
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
      try await signIn.waiting.process.ready { signIn.waiting.said.dropFirst(said.count).contains("\n") }
      #expect(signIn.waiting.said.dropFirst(said.count).contains("not the callback"), "\(forgery)")
    }
    #expect(try await scene.backend.asked() == ["mobile-start"])
    try signIn.paste(right)
    #expect(await signIn.waiting.process.ended() == 0, "\(signIn.waiting.said)")
    #expect(!signIn.waiting.said.contains("Fe26"))
    try await scene.expectNothingWrong()
  }

  @Test("A sign-in ends if the backend does not confirm the callback")
  func notConfirmed() async throws {
    let words: [(JSON, Int32)] = [
      (["session_override": ["did": "did:plc:mallory"]], 11),
      // The named handle is another's there: that session is not wanted.
      (["session_override": ["handle": "mallory.example.com", "userHandle": .null]], 8),
      (["session_override": ["valid": "yes"]], 11),
      (["session_override": ["did": .null, "sub": "did:plc:mallory"]], 11),
      (["callback_override": ["did": "did:plc:mallory"]], 11),
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
}
