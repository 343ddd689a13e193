import AcctTestSupport
import StrictJSON
import Testing

/// A sealed session kept by the built `acct`, at a backend over real sockets, in every form that
/// backends answer.
@Suite("Keeping a sealed session")
struct SessionAnswerTests {
  /// A session that is past by the clock, at a backend whose next confirmation lasts an hour.
  private func due(_ settings: JSON = [:]) async throws -> SessionScene {
    let scene = try await SessionScene(["lifetime": -10])
    try await scene.signIn()
    try await scene.backend.set(["lifetime": 3600])
    try await scene.backend.set(settings)
    return scene
  }

  private func header(_ scene: SessionScene) async throws -> ChildProcess.Output {
    try await scene.home.acct("header", "\(scene.backend.address)/api")
  }

  @Test(
    "reads its end as milliseconds, seconds or ISO 8601",
    arguments: ["ms", "s", "iso"]
  )
  func units(unit: String) async throws {
    let scene = try await due(["expires_unit": .string(unit)])
    #expect(try await header(scene).status == 0)
    let account = try await scene.account()
    #expect(account["state"] == "valid")
    #expect(account["expiresAt"]?.stringValue != nil)
    // Good for an hour: no more questions.
    #expect(try await header(scene).status == 0)
    #expect(try await scene.backend.asked() == ["mobile-start", "session", "session"])
    try await scene.expectNothingWrong()
  }

  @Test("without an end is valid until the backend says otherwise")
  func noEnd() async throws {
    let scene = try await due(["expires_unit": "none"])
    #expect(try await header(scene).status == 0)
    #expect(try await scene.account()["expiresAt"] == .null)
    #expect(try await header(scene).status == 0)
    try await scene.backend.end("oauth_data_missing")
    #expect(try await scene.home.acct("status", "--check").status == 4)
    let ended = try await scene.account(status: 4)
    #expect(ended["state"] == "reauthRequired")
    #expect(ended["reason"]?.stringValue?.contains("oauth_data_missing") == true)
  }

  @Test("stores a session that is rolled by cookie, among others, and uses it from then on")
  func rolled() async throws {
    let scene = try await due([
      "roll": true,
      "cookies": ["csrf=Fe26.2*1*decoy; Path=/", "sid=; Max-Age=0", "Sid=Fe26.2*1*x"],
    ])
    let before = try await scene.home.acct("token", "--offline")
    #expect(before.status == 4)
    let first = try await header(scene)
    #expect(first.status == 0)
    #expect(try await scene.backend.counts()["rolls"] == 1)
    // The backend takes none but the newest.
    let again = try await scene.home.acct("status", "--check")
    #expect(again.status == 0, "\(again.text)")
    #expect(try await header(scene).text != first.text)
    try await scene.expectNothingWrong()
  }

  @Test("is not led by a cookie that deletes, or holds no sealed session")
  func deletingCookies() async throws {
    for cookie in [
      "sid=; Max-Age=0; Path=/", "sid=Fe26.2*1*gone; Max-Age=0",
      "sid=Fe26.2*1*gone; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "sid=plain", "sid",
    ] {
      let scene = try await due(["cookies": [.string(cookie)]])
      #expect(try await header(scene).status == 0)
      let check = try await scene.home.acct("status", "--check")
      #expect(check.status == 0, "\(cookie): \(check.text)")
      try await scene.expectNothingWrong()
    }
  }

  @Test("is extended where a confirmation leaves it due, and the new session is used")
  func extended() async throws {
    let scene = try await due(["extends": false])
    #expect(try await header(scene).status == 0)
    #expect(
      try await scene.backend.asked().suffix(3) == ["session", "refresh-token", "session"]
    )
    #expect(try await scene.home.acct("status", "--check").status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("says so where it can't be extended, and keeps it", arguments: ["fail", "refuse"])
  func notExtended(how: String) async throws {
    let scene = try await due(["extends": false, "refresh": .string(how)])
    let refused = try await header(scene)
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("sign in again"))
    let tries = try await scene.backend.asked().count { $0 == "refresh-token" }
    #expect(tries == (how == "fail" ? 2 : 1))
    #expect(try await scene.account()["state"] == "expiring")
    try await scene.backend.set(["refresh": "on"])
    #expect(try await header(scene).status == 0)
  }

  @Test("changes nothing for a refresh that is not what it must be")
  func badRefresh() async throws {
    for override in [["sid": "plain"], ["sid": .null], ["did": "did:plc:mallory"]] as [JSON] {
      let scene = try await due(["extends": false, "refresh_override": override])
      let kept = try await scene.home.acct("token", "--offline")
      #expect(kept.status == 4)
      #expect(try await header(scene).status == 11, "\(override)")
      try await scene.backend.set(["refresh_override": [:], "keep_old_seals": true])
      #expect(try await header(scene).status == 0)
    }
  }

  @Test(
    "is over for every reason of the server's but a passing one",
    arguments: ["session_invalid", "missing_did", "oauth_data_missing", "exception_thrown"]
  )
  func over(reason: String) async throws {
    let scene = try await due(["reason": .string(reason), "refresh": "refuse"])
    let refused = try await header(scene)
    #expect(refused.status == 4)
    #expect(refused.errorText.contains(reason))
    let asked = try await scene.backend.asked().dropFirst(2)
    #expect(asked.count { $0 == "session" } == (reason == "exception_thrown" ? 2 : 1))
    #expect(try await scene.account(status: 4)["state"] == "reauthRequired")
    // It is still there, for a sign-in to take its place.
    #expect(try await scene.home.accounts().count == 1)
  }

  @Test(
    "is kept where the backend fails, and works when the backend does",
    arguments: [
      "500", "reset", "close", "truncated", "html", "redirect",
    ]
  )
  func faults(kind: String) async throws {
    let scene = try await due()
    try await scene.backend.fault(["endpoint": "session", "kind": .string(kind), "count": 1])
    let answered = try await header(scene)
    // One fault that may pass is waited out; nonsense is not asked for twice.
    #expect(answered.status == (["500", "reset", "close"].contains(kind) ? 0 : 11))
    #expect(try await header(scene).status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("gives a backend that hangs its time, and no more")
  func hangs() async throws {
    let scene = try await due()
    try await scene.backend.fault(["endpoint": "session", "kind": "hang", "count": 1])
    let header = try await scene.home.acct("header", "--timeout", "1")
    #expect(header.status == 0, "\(header.errorText)")
    #expect(header.errorText.contains("trying again"))
  }

  @Test("is validated once where 20 processes find it due, and all use what came of it")
  func crowd() async throws {
    for extends in [true, false] {
      let scene = try await due(["roll": .bool(extends), "extends": .bool(extends)])
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

  @Test("is ended at the backend by remove, but not with --local")
  func removal() async throws {
    for isLocal in [false, true] {
      let scene = try await SessionScene()
      try await scene.signIn()
      let removed = try await scene.home.command(
        ["remove", "alice.example.com"] + (isLocal ? ["--local"] : [])
      ).run()
      #expect(removed.status == 0)
      #expect(try await scene.backend.counts()["logouts"] == (isLocal ? nil : 1))
      #expect(try await scene.home.accounts().isEmpty)
      try await scene.expectNothingWrong()
    }
  }
}
