import AcctTestSupport
import StrictJSON
import Testing

/// `acct login` for each kind of account, at servers that are strict.
@Suite("Signing in again at a server")
struct LoginTests {
  @Test("An OAuth account signs in again with its client, its resource and its key")
  func server() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    #expect(try await home.signIn(at: server).run().status == 0)
    let before = try await home.account()
    let again = try await home.login(mood: "approve").run()
    #expect(again.status == 0, "\(again.errorText)")
    try await home.expectKept(before)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("An AT Protocol account signs in again, and its session before is ended")
  func network() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    let before = try await home.signIn(["alice.test"])
    let again = try await home.login(mood: "approve").run()
    #expect(again.status == 0, "\(again.errorText)")
    try await home.expectKept(before)
    try await home.expectChecked()
    let log = try await network.log()
    #expect(log.offences == [])
    #expect(log.endings.map { $0 != nil } == [true, false])
  }

  @Test("Another person who signs in to an AT Protocol account changes nothing")
  func otherPerson() async throws {
    let network = try await ATProtoNetwork()
    let home = try network.home()
    let before = try await home.signIn(["alice.test"])
    try await network.set(["token_override": ["sub": "did:plc:mallorytestaccountaaaaaa"]])
    let again = try await home.login(mood: "approve", "--json").run()
    #expect(again.status == 8, "\(again.errorText)")
    #expect(again.errorText.contains("not as alice.test; nothing was changed"), "\(again.errorText)")
    try await home.expectKept(before)
    try await home.expectChecked()
  }

  @Test("An account of a backend signs in there again, at the same callback")
  func backend() async throws {
    let scene = try await BackendScene()
    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    let before = try await scene.home.account()
    let again = try await scene.home.login(mood: nil).run()
    #expect(again.status == 0, "\(again.errorText)")
    try await scene.home.expectKept(before)
    try await scene.expectUsable()
    try await scene.expectNothingWrong()
  }

  @Test("A session that its backend keeps is begun again there")
  func session() async throws {
    let scene = try await SessionScene()
    try await scene.signIn()
    let before = try await scene.home.account()
    let input = try OpenInput()
    let waiting = try await WaitingSignIn(input.feeding(scene.home.command(["login", "--no-browser"])))
    try input.type(try await scene.backend.callback(from: waiting.address))
    #expect(await waiting.process.ended() == 0, "\(waiting.said)")
    try await scene.home.expectKept(before)
    #expect(try await scene.header().status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("A guest gets a new session of the same backend")
  func guest() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    let before = try await (account: steps.home.account(), token: steps.token())
    try await steps.backend.revoke()
    let again = try await steps.home.acct("login")
    #expect(again.status == 0, "\(again.errorText)")
    try await steps.home.expectKept(before.account)
    #expect(try await steps.token() != before.token)
  }

  @Test("An account without a person gets a new token with its client's secret")
  func direct() async throws {
    let server = try await StrictServer([
      "clients": ["basic": ["redirect_uris": [], "secret": "made-up secret", "auth": "basic"]]
    ])
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let file = try folder.file("secret", containing: "made-up secret")
    let add = [
      "add", "--issuer", server.issuer, "--client-id", "basic", "--client-secret-file", file, "--grant",
      "client-credentials",
    ]
    let added = try await home.command(add).run()
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.account()
    let again = try await home.acct("login", "--no-input")
    #expect(again.status == 0, "\(again.errorText)")
    try await home.expectKept(before)
  }
}
