import AcctTestSupport
import StrictJSON
import Testing

/// A sealed session kept by the built `acct`, at a backend over real sockets, in every form that
/// backends answer.
@Suite("Keeping a sealed session")
struct SessionAnswerTests {
  @Test("A session's end is read as milliseconds, seconds or ISO 8601", arguments: ["ms", "s", "iso"])
  func units(unit: String) async throws {
    let scene = try await SessionScene.due(["expires_unit": .string(unit)])
    #expect(try await scene.header().status == 0)
    let account = try await scene.account()
    #expect(account["state"] == "valid")
    #expect(account["expiresAt"]?.stringValue != nil)
    // Good for an hour: no more questions.
    #expect(try await scene.header().status == 0)
    #expect(try await scene.backend.asked() == ["mobile-start", "session", "session"])
    try await scene.expectNothingWrong()
  }

  @Test("A session without an end is valid until the backend says otherwise")
  func noEnd() async throws {
    let scene = try await SessionScene.due(["expires_unit": "none"])
    #expect(try await scene.header().status == 0)
    #expect(try await scene.account()["expiresAt"] == .null)
    #expect(try await scene.header().status == 0)
    try await scene.backend.end("oauth_data_missing")
    #expect(try await scene.home.acct("status", "--check").status == 4)
    let ended = try await scene.account(status: 4)
    #expect(ended["state"] == "reauthRequired")
    #expect(ended["reason"]?.stringValue?.contains("oauth_data_missing") == true)
  }

  @Test("A session that a cookie among others rotates is stored and used from then on")
  func rotated() async throws {
    let scene = try await SessionScene.due([
      "roll": true,
      "cookies": ["csrf=Fe26.2*1*decoy; Path=/", "sid=; Max-Age=0", "Sid=Fe26.2*1*x"],
    ])
    let before = try await scene.home.acct("token", "--offline")
    #expect(before.status == 4)
    let first = try await scene.header()
    #expect(first.status == 0)
    #expect(try await scene.backend.counts()["rolls"] == 1)
    // The backend takes none but the newest.
    let again = try await scene.home.acct("status", "--check")
    #expect(again.status == 0, "\(again.text)")
    #expect(try await scene.header().text != first.text)
    try await scene.expectNothingWrong()
  }

  @Test("A cookie that deletes, or holds no sealed session, changes nothing")
  func deletingCookies() async throws {
    for cookie in [
      "sid=; Max-Age=0; Path=/", "sid=Fe26.2*1*gone; Max-Age=0",
      "sid=Fe26.2*1*gone; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "sid=plain", "sid",
    ] {
      let scene = try await SessionScene.due(["cookies": [.string(cookie)]])
      #expect(try await scene.header().status == 0)
      let check = try await scene.home.acct("status", "--check")
      #expect(check.status == 0, "\(cookie): \(check.text)")
      try await scene.expectNothingWrong()
    }
  }

  @Test("A session that is still due after its confirmation is refreshed, and the new one is used")
  func extended() async throws {
    let scene = try await SessionScene.due(["extends": false])
    #expect(try await scene.header().status == 0)
    #expect(
      try await scene.backend.asked().suffix(3) == ["session", "refresh-token", "session"]
    )
    #expect(try await scene.home.acct("status", "--check").status == 0)
    try await scene.expectNothingWrong()
  }

  @Test(
    "A session ends for every reason of the server except a temporary one",
    arguments: ["session_invalid", "missing_did", "oauth_data_missing", "exception_thrown"]
  )
  func over(reason: String) async throws {
    let scene = try await SessionScene.due(["reason": .string(reason), "refresh": "refuse"])
    let refused = try await scene.header()
    #expect(refused.status == 4)
    #expect(refused.errorText.contains(reason))
    let asked = try await scene.backend.asked().dropFirst(2)
    #expect(asked.count { $0 == "session" } == (reason == "exception_thrown" ? 2 : 1))
    #expect(try await scene.account(status: 4)["state"] == "reauthRequired")
    // It is still there, for a sign-in to take its place.
    #expect(try await scene.home.accounts().count == 1)
  }

  @Test("A session is confirmed once if 20 processes find it due, and all use the result")
  func crowd() async throws {
    for extends in [true, false] {
      let scene = try await SessionScene.due(["roll": .bool(extends), "extends": .bool(extends)])
      try await scene.backend.fault(["endpoint": "session", "kind": "delay", "count": 1])
      let crowd = try (0..<20).map { _ in try RunningProcess(scene.home.command(["token"])) }
      try await scene.backend.wait(held: 1)
      try await scene.backend.release()
      var tokens: Set<[UInt8]> = []
      for process in crowd {
        #expect(await process.ended() == 0)
        tokens.insert(process.standardOutput.contents())
      }
      #expect(tokens.count == 1)
      let counts = try await scene.backend.counts()
      // One at the sign-in; one for all, and one more to learn how long the extended one lasts.
      #expect(counts["validations"] == (extends ? 2 : 3))
      #expect(counts["refreshes"] == (extends ? nil : 1))
      try await scene.expectNothingWrong()
    }
  }

  @Test("A session is ended at the backend by remove, and not with --local")
  func removal() async throws {
    for isLocal in [false, true] {
      let scene = try await SessionScene()
      try await scene.signIn()
      let removed = try await scene.home.command(["remove", "alice.example.com"] + (isLocal ? ["--local"] : [])).run()
      #expect(removed.status == 0)
      #expect(try await scene.backend.counts()["logouts"] == (isLocal ? nil : 1))
      #expect(try await scene.home.accounts().isEmpty)
      try await scene.expectNothingWrong()
    }
  }
}
