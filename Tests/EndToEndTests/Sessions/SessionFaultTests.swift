import AcctTestSupport
import StrictJSON
import Testing

/// A sealed session kept by the built `acct`, at a failing backend over real sockets.
@Suite("A sealed session and a failing backend")
struct SessionFaultTests {
  @Test("A session that can't be refreshed is reported and kept", arguments: ["fail", "refuse"])
  func notExtended(how: String) async throws {
    let scene = try await SessionScene.due(["extends": false, "refresh": .string(how)])
    let refused = try await scene.header()
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("sign in again"))
    let tries = try await scene.backend.asked().count { $0 == "refresh-token" }
    #expect(tries == (how == "fail" ? 2 : 1))
    #expect(try await scene.account()["state"] == "expiring")
    try await scene.backend.set(["refresh": "on"])
    #expect(try await scene.header().status == 0)
  }

  @Test("A malformed refresh answer changes nothing")
  func badRefresh() async throws {
    for override in [["sid": "plain"], ["sid": .null], ["did": "did:plc:mallory"]] as [JSON] {
      let scene = try await SessionScene.due(["extends": false, "refresh_override": override])
      let kept = try await scene.home.acct("token", "--offline")
      #expect(kept.status == 4)
      #expect(try await scene.header().status == 11, "\(override)")
      try await scene.backend.set(["refresh_override": [:], "keep_old_seals": true])
      #expect(try await scene.header().status == 0)
    }
  }

  @Test(
    "A session is kept if the backend fails, and works when the backend does",
    arguments: ["500", "reset", "close", "truncated", "html", "redirect"]
  )
  func faults(kind: String) async throws {
    let scene = try await SessionScene.due()
    try await scene.backend.fault(["endpoint": "session", "kind": .string(kind), "count": 1])
    let answered = try await scene.header()
    // One fault that may pass is waited out; nonsense is not asked for twice.
    #expect(answered.status == (["500", "reset", "close"].contains(kind) ? 0 : 11))
    #expect(try await scene.header().status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("A session is kept if the backend limits requests, and the error says so", arguments: [true, false])
  func limited(isRefresh: Bool) async throws {
    let scene = try await SessionScene.due(["extends": false])
    let endpoint: JSON = isRefresh ? "refresh-token" : "session"
    try await scene.backend.fault(["endpoint": endpoint, "kind": "429", "count": 1])
    let limited = try await scene.header()
    #expect(limited.status == 9)
    #expect(limited.errorText.contains("hint: try again in 7 s, at "))
    #expect(try await scene.header().status == 0)
    try await scene.expectNothingWrong()
  }

  @Test(
    "A session is kept if its refresh fails in transit or with a malformed answer",
    arguments: [("reset", 0), ("html", 11), ("truncated", 11), ("redirect", 11)]
  )
  func refreshFaults(kind: String, status: Int32) async throws {
    let scene = try await SessionScene.due(["extends": false])
    try await scene.backend.fault(["endpoint": "refresh-token", "kind": .string(kind), "count": 1])
    let answered = try await scene.header()
    #expect(answered.status == status, "\(answered.errorText)")
    #expect(try await scene.header().status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("A backend that hangs is given up at the timeout and asked again")
  func hangs() async throws {
    let scene = try await SessionScene.due()
    try await scene.backend.fault(["endpoint": "session", "kind": "hang", "count": 1])
    let header = try await scene.home.acct("header", "--timeout", "1")
    #expect(header.status == 0, "\(header.errorText)")
    #expect(header.errorText.contains("trying again"))
  }
}
