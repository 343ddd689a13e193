import AcctTestSupport
import StrictJSON
import Testing

/// What other processes do while a proxy keeps what its requests need, each heard at the very next request.
@Suite("Changes under the signing proxy")
struct SigningProxyChangesTests {
  /// A server that echoes, and an account with a static token of it.
  private func scene(in keyring: AcctHome? = nil) async throws -> (FlowServer, AcctHome) {
    let server = try await FlowServer()
    let home = try keyring ?? AcctHome()
    try await add("token-of-the-beginning", to: home, at: server.url)
    return (server, home)
  }

  private func add(_ token: String, to home: AcctHome, at url: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("token", containing: token)
    let added = try await home.acct("add", "--token", file, "--allow-origin", url, "--name", "key")
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// The token that a request by the proxy carries; its status where there is no answer of the server's.
  private func sent(_ proxy: SigningProxyAtWork, _ server: FlowServer) async throws -> String {
    let output = try await proxy.curl("\(server.url)/echo").run()
    try #require(output.status == 0, "\(output.errorText)")
    let lines = output.text.split(separator: "\n")
    guard lines.last == "200" else { return String(lines.last ?? "") }
    let echo = try #require(try JSON(parsing: Array(lines[0].utf8)).objectValue)
    return echo.values(of: "Authorization").first ?? ""
  }

  /// Makes requests until what they need is kept.
  private func warm(_ proxy: SigningProxyAtWork, _ server: FlowServer) async throws {
    for _ in 1...3 { #expect(try await sent(proxy, server) == "Bearer token-of-the-beginning") }
  }

  private func expectReplacements(_ server: FlowServer, _ home: AcctHome) async throws {
    let proxy = try await SigningProxyAtWork(home)
    try await warm(proxy, server)
    for number in 1...3 {
      try await add("token-\(number)", to: home, at: server.url)
      for _ in 1...2 { #expect(try await sent(proxy, server) == "Bearer token-\(number)") }
    }
  }

  @Test("A token that another process has replaced in a vault is sent from the next request on")
  func replaced() async throws {
    let (server, home) = try await scene()
    try await expectReplacements(server, home)
  }

  @Test("A token that another process has replaced in a GNOME Keyring is sent from the next request on")
  func replacedInGnomeKeyring() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let (server, home) = try await scene(in: try AcctHome(in: gnome))
    try await expectReplacements(server, home)
  }

  @Test("An account that another process has removed makes no request any more")
  func removed() async throws {
    let (server, home) = try await scene()
    let proxy = try await SigningProxyAtWork(home)
    try await warm(proxy, server)
    try #require(try await home.acct("remove", "key").status == 0)
    #expect(try await sent(proxy, server) == "503")
  }

  @Test("A GNOME Keyring that is locked, or dies, is heard at the next request, each time")
  func locked() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let (server, home) = try await scene(in: try AcctHome(in: gnome))
    let proxy = try await SigningProxyAtWork(home)
    for _ in 1...3 {
      try await warm(proxy, server)
      try gnome.lock()
      #expect(try await sent(proxy, server) == "503")
      try gnome.unlock()
    }
    try await warm(proxy, server)
    gnome.kill()
    #expect(try await sent(proxy, server) == "503")
  }

  @Test("A vault that is locked is heard at the next request, each time")
  func lockedVault() async throws {
    let (server, home) = try await scene()
    var command = home.command(["proxy"])
    command.environment["ACCT_VAULT_PASSPHRASE_FILE"] = nil
    let proxy = try await SigningProxyAtWork(home, running: command)
    for _ in 1...3 {
      try #require(try await home.acct("vault", "unlock").status == 0)
      if try await sent(proxy, server) == "503" { try Test.cancel("the kernel keeps no key here") }
      try await warm(proxy, server)
      try #require(try await home.acct("vault", "lock").status == 0)
      #expect(try await sent(proxy, server) == "503")
    }
  }

  @Test("A token that another process has renewed is sent from the next request on")
  func renewed() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    let proxy = try await SigningProxyAtWork(home)
    let url = "\(server.resource)/resource"
    for _ in 1...3 { #expect(try await proxy.status(url) == "200") }
    try await server.control("revoke-access")
    try #require(try await home.acct("refresh", "--force").status == 0)
    #expect(try await proxy.status(url) == "200")
    // The old token would have been refused, and renewed once more.
    #expect(try await server.counts()["refreshes"] == 1)
    try await server.expectNothingWrong()
  }

  @Test("A key that a new sign-in of another process has replaced signs no request any more")
  func newKey() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    var proxy: SigningProxyAtWork?
    for _ in 1...4 {
      let added = try await home.importing(try await server.issue(["dpop": true]))
      try #require(added.status == 0, "\(added.errorText)")
      if proxy == nil { proxy = try await SigningProxyAtWork(home) }
      let key = try #require(try await server.sessions().last?["jkt"])
      for _ in 1...3 {
        #expect(try await proxy?.status("\(server.resource)/resource") == "200")
        let proof = try await server.requests(to: "resource").last?["proof"]?.objectValue
        #expect(proof?["jkt"] == key)
      }
    }
    #expect(try await home.accounts().count == 1)
    try await server.expectNothingWrong()
  }
}
