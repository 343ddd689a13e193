import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct rotate at a server")
struct RotateTests {
  @Test("The former access token is revoked, and the session goes on at a server that detects a spent refresh token")
  func strict() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    try #require(try await home.signIn(at: server, "--name", "me").run().status == 0)
    let before = try await home.acct("token").text
    let rotated = try await home.acct("rotate", "me")
    #expect(rotated.status == 0, "\(rotated.errorText)")
    #expect(rotated.errorText.contains("acct: rotated me"))
    #expect(try await home.acct("token").text != before)
    #expect(try await home.use(server) == "200")
    #expect(try await server.counts()["access_revocations"] == 1)
    #expect(try await server.counts()["refresh_revocations"] ?? 0 == 0)
    #expect(try await server.sessions().allSatisfy { $0["ended"] == nil || $0["ended"] == .null })
    try await server.expectNothingWrong()
  }

  @Test(
    "The former token is named where the server does not end it, and the new one works",
    arguments: [("off", "no revocation endpoint"), ("unauthorized", "401"), ("unavailable", "503")]
  )
  func withoutRevocation(setting: String, said: String) async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    try #require(try await home.signIn(at: server, "--name", "me").run().status == 0)
    try await server.set(["revocation": .string(setting)])
    let rotated = try await home.acct("rotate", "me")
    #expect(rotated.status == 4)
    #expect(rotated.errorText.contains("the server did not end the former access token of me"), "\(rotated.errorText)")
    #expect(rotated.errorText.contains(said), "\(rotated.errorText)")
    #expect(try await home.use(server) == "200")
  }

  @Test("A session of the AT Protocol goes on, and no token of it is revoked")
  func network() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    _ = try await home.signIn(["alice.test"])
    let rotated = try await home.acct("rotate", "alice.test")
    // The data server takes an access token to its end.
    #expect(rotated.status == 4, "\(rotated.errorText)")
    #expect(rotated.errorText.contains("rotated alice.test"))
    #expect(rotated.errorText.contains("it ends the token only with the session"), "\(rotated.errorText)")
    try await home.expectChecked()
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.endings.map { $0 != nil } == [false])
  }

  @Test("A session that its backend keeps is ended there, and a sign-in is asked for")
  func session() async throws {
    let scene = try await SessionScene()
    try await scene.signIn()
    let name = try await scene.home.account()["name"]?.stringValue ?? ""
    let rotated = try await scene.home.acct("rotate", name)
    #expect(rotated.status == 4)
    #expect(rotated.errorText.contains("the server has ended the session of \(name)"), "\(rotated.errorText)")
    #expect(rotated.errorText.contains("`acct login \(name)`"), "\(rotated.errorText)")
    #expect(try await scene.header().status == 4)
  }

  @Test("A guest gets a new session, and the former token is named")
  func guest() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    let (name, before) = try await (steps.home.account()["name"]?.stringValue ?? "", steps.token())
    let rotated = try await steps.home.acct("rotate", name)
    #expect(rotated.status == 4, "\(rotated.errorText)")
    #expect(rotated.errorText.contains("the server did not end the former token of"), "\(rotated.errorText)")
    #expect(try await steps.token() != before)
  }
}
