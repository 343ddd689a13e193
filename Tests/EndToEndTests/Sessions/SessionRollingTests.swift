import AcctTestSupport
import StrictJSON
import Testing

/// A backend over real sockets that rotates the session in every answer and accepts only the
/// newest, and processes that do not know of each other.
@Suite("A single-use session")
struct SessionRollingTests {
  private func scene() async throws -> SessionScene {
    let scene = try await SessionScene()
    try await scene.signIn()
    try await scene.backend.set(["roll": true])
    return scene
  }

  private func url(_ scene: SessionScene) -> String { "\(scene.backend.address)/api/auth/session" }

  @Test("A session continues after another process was told of its end before the new one was stored")
  func race() async throws {
    let scene = try await scene()
    try await scene.backend.set(["refresh": "refuse"])
    // The backend has rotated it, and its answer is on its way.
    try await scene.backend.fault(["endpoint": "session", "kind": "delay", "count": 1, "process": true])
    let request = try RunningProcess(scene.home.command(["request", url(scene)]))
    try await scene.backend.wait(held: 1)
    let check = try await scene.home.acct("status", "--check")
    #expect(check.status == 4)
    #expect(check.text.contains("session_invalid"))
    try await scene.backend.release()
    #expect(await request.ended() == 0)
    #expect(try await scene.account()["state"] == "valid")
    #expect(try await scene.home.acct("status", "--check").status == 0)
    #expect(try await scene.home.acct("header").status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("A single-use session is not lost by processes that use it at once")
  func crowd() async throws {
    let scene = try await scene()
    let crowd = try (0..<8).map { _ in try RunningProcess(scene.home.command(["request", url(scene)])) }
    for process in crowd { _ = await process.ended() }
    #expect(try await scene.account()["state"] == "valid")
    let check = try await scene.home.acct("status", "--check")
    #expect(check.status == 0, "\(check.errorText)")
    try await scene.expectNothingWrong()
  }

  @Test("A session continues after a script's own curl used it and acct observed the answer")
  func observed() async throws {
    let scene = try await scene()
    for _ in 0..<2 {
      let line = try await scene.home.acct("header", url(scene)).text
      let curl = ChildProcess("curl", ["-sS", "-H", "@-", "-D", "-", "-o", "/dev/null", url(scene)], input: line)
      let heads = try await curl.run().text
      #expect(heads.contains("200 OK"))
      let observed = try await scene.home.acct("observe", url(scene), input: heads)
      #expect(observed.status == 0 && observed.errorText.isEmpty, "\(observed.errorText)")
      // What has been taken over is what is kept: the old headers bring nothing back.
      let again = try await scene.home.acct("observe", url(scene), input: heads)
      #expect(again.status == 0)
      #expect(again.errorText.contains("is not accepted"))
    }
    #expect(try await scene.home.acct("status", "--check").status == 0)
    #expect(try await scene.home.files(containing: #"Fe26\.2"#).isEmpty)
    try await scene.expectNothingWrong()
  }

  @Test("A session of another identity in a script's headers is rejected")
  func foreign() async throws {
    let scene = try await scene()
    let own = try await scene.home.acct("token").text
    try await scene.backend.set(["roll": false, "did": "did:plc:mallory"])
    let signIn = try await scene.waiting([])
    let callback = try await scene.backend.callback(from: signIn.waiting.address)
    signIn.waiting.process.send(2)
    _ = await signIn.waiting.process.ended()
    let seal = callback.split(separator: "session_token=").last?.split(separator: "&").first ?? ""
    let heads = "HTTP/1.1 200 OK\r\nSet-Cookie: sid=\(seal.replacing("%2A", with: "*"))\r\n\r\n"
    let observed = try await scene.home.acct("observe", url(scene), input: heads)
    #expect(observed.status == 11, "\(observed.errorText)")
    #expect(observed.errorText.contains("names did:plc:mallory instead of did:plc:alice"))
    #expect(try await scene.home.acct("token").text == own)
    #expect(try await scene.home.acct("status", "--check").status == 0)
  }
}
