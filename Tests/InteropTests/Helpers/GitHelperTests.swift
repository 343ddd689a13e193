import AcctTestSupport
import StrictJSON
import Testing

/// The real git, whose version here knows user names and passwords alone.
@Suite("git with acct as its credential helper")
struct GitHelperTests {
  private static let token = "made-up-token-for-git"

  private let folder: TemporaryFolder
  private let home: AcctHome

  init() throws {
    folder = try TemporaryFolder()
    home = try .withHelpers()
  }

  /// git with nothing but this helper: no prompt, and no configuration of the machine.
  private func git(_ arguments: String..., input: String = "") async throws -> ChildProcess.Output {
    let variables = ["GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"]
    let person = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"]
    return try await home.program(
      "git",
      ["-c", "credential.helper=acct"] + person + arguments,
      with: variables,
      input: input
    ).run()
  }

  /// A server with an empty repository, `notes.git`.
  ///
  /// - Parameter token: The one that it takes, or the address of a resource that takes it.
  /// - Returns: The server, and its origin.
  /// - Throws: ``ProcessFailure`` if it does not start.
  private func server(for token: String = token) async throws -> (PythonServer, String) {
    if try await git("-C", "\(folder.path)/notes.git", "rev-parse").status != 0 {
      let made = try await git("init", "-q", "--bare", "--initial-branch=main", "\(folder.path)/notes.git")
      try #require(made.status == 0, "\(made.errorText)")
    }
    let server = try await PythonServer("Recipes/git_server.py", [folder.path, token])
    return (server, "http://127.0.0.1:\(server.greeting)")
  }

  @Test("A clone, a push and a fetch over http use the token of the account with that origin")
  func network() async throws {
    let (server, origin) = try await server()
    try await home.addBearer("work", at: origin, token: Self.token)
    // The account in use is another one: the server's origin decides.
    try await home.addBearer("other", at: "https://other.example", token: "another")
    let (clone, second) = ("\(folder.path)/clone", "\(folder.path)/second")
    for place in [clone, second] {
      let cloned = try await git("clone", "-q", "\(origin)/notes.git", place)
      try #require(cloned.status == 0, "\(cloned.errorText)")
    }
    _ = try await git("-C", clone, "commit", "-q", "--allow-empty", "-m", "first")
    let pushed = try await git("-C", clone, "push", "-q", "origin", "HEAD:refs/heads/main")
    #expect(pushed.status == 0, "\(pushed.errorText)")
    let fetched = try await git("-C", second, "fetch", "-q", "origin")
    #expect(fetched.status == 0, "\(fetched.errorText)")
    let log = try await git("-C", second, "log", "--format=%s", "origin/main")
    #expect(log.text == "first\n")
    _ = server
  }

  @Test("A token that the server rejects is renewed, and the next fetch uses the new one")
  func rejected() async throws {
    let oauth = try await StrictServer(["dpop": "off"])
    let (server, origin) = try await server(for: "\(oauth.resource)/resource")
    let issued = try await oauth.issue([:])
    let added = try await home.acct("add", "--import", "-", "--name", "work", input: issued)
    try #require(added.status == 0, "\(added.errorText)")
    try #require(try await home.acct("allow", "work", origin).status == 0)

    let first = try await git("ls-remote", "\(origin)/notes.git")
    #expect(first.status == 0, "\(first.errorText)")
    #expect(try await oauth.counts()["refreshes"] == 0)
    try await oauth.control("revoke-access")
    let refused = try await git("ls-remote", "\(origin)/notes.git")
    #expect(refused.status == 128)
    #expect(refused.errorText.contains("Authentication failed"), "\(refused.errorText)")
    let next = try await git("ls-remote", "\(origin)/notes.git")
    #expect(next.status == 0, "\(next.errorText)")
    #expect(try await oauth.counts()["refreshes"] == 1)
    _ = server
  }

  @Test("A server at another port gets no token, though it is on the same host")
  func otherPort() async throws {
    let (own, origin) = try await server()
    let (other, elsewhere) = try await server()
    try await home.addBearer("work", at: origin, token: Self.token)
    #expect(try await git("ls-remote", "\(origin)/notes.git").status == 0)
    #expect(try await git("ls-remote", "\(elsewhere)/notes.git").status == 128)
    _ = (own, other)
  }

  /// What resembles `https://git.example`.
  private static let foreign = [
    "https://git.example%2f.evil.test/x", "https://git.example%3f.evil.test/x", "https://git.example%23.evil.test/x",
    "https://git.example%40evil.test/x", "https://git.example@evil.test/x", "https://git.example:443@evil.test/x",
    "https://git.example./x", "https://git.example:8443/x", "http://git.example/x", "https://git.example.evil.test/x",
    "https://g\u{131}t.example/x", "https://[git.example]/x",
  ]

  @Test("A URL that only resembles the account's own gets no token from git credential fill")
  func hostile() async throws {
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    let own = try await git("credential", "fill", input: "url=https://git.example/x\n\n")
    #expect(own.text.contains("password=\(Self.token)\n"), "\(own.errorText)")
    for url in Self.foreign {
      let other = try await git("credential", "fill", input: "url=\(url)\n\n")
      #expect(!(other.text + other.errorText).contains(Self.token), "\(url)")
    }
  }

  @Test("An answer comes at the empty line, also if the asking program keeps its end of the pipe open")
  func openPipe() async throws {
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    let input = try OpenInput()
    let helper = try RunningProcess(input.feeding(home.program("git-credential-acct", ["get"])))
    for line in ["protocol=https", "host=git.example", ""] { try input.type(line) }
    let asked = await helper.output()
    #expect(asked.status == 0, "\(asked.errorText)")
    #expect(asked.text == "username=oauth2\npassword=\(Self.token)\n")
  }
}
