import AcctTestSupport
import Testing

/// The command `acct helper git` as git runs it.
///
/// How it answers each question is tested in one process, without git.
@Suite("The credential helper for git")
struct RecipeGitTests {
  private static let token = "made-up-token-of-this-test"

  /// git as a user of the helper runs it: no prompt, no configuration but the helper.
  private func git(_ home: AcctHome, _ arguments: [String], input: String = "") -> ChildProcess {
    let variables = ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "GIT_CONFIG_NOSYSTEM": "1"]
    return home.recipe("git", ["-c", "credential.helper=!acct helper git"] + arguments, with: variables, input: input)
  }

  @Test("The command git credential fill gets the token for the account's own server, and for no other")
  func fill() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    let own = try await git(home, ["credential", "fill"], input: "protocol=https\nhost=git.example\n\n").run()
    #expect(own.status == 0, "\(own.errorText)")
    #expect(
      own.text == "protocol=https\nhost=git.example\nusername=oauth2\npassword=\(Self.token)\n"
    )
    for (scheme, host) in [("https", "git.example.evil.test"), ("http", "git.example")] {
      let other = try await git(home, ["credential", "fill"], input: "protocol=\(scheme)\nhost=\(host)\n\n").run()
      #expect(!(other.text + other.errorText).contains(Self.token))
      #expect(other.errorText.contains("acct: "), "\(other.errorText)")
    }
  }

  @Test("A host with an encoded slash gets no token from git itself")
  func encodedSlash() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    for url in ["https://git.example%2f.evil.test/x", "https://git.example%3f.evil.test/x"] {
      let asked = try await git(home, ["credential", "fill"], input: "url=\(url)\n\n").run()
      #expect(!(asked.text + asked.errorText).contains(Self.token), "\(url)")
    }
  }

  @Test("A link named git-credential-acct is the helper that git runs, with options before the operation")
  func link() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    try await home.addBearer("private", at: "https://git.example", token: "another")
    let folder = try TemporaryFolder()
    let acct = Product.executable("acct")
    let link = "\(folder.path)/git-credential-acct"
    let made = try await ChildProcess("ln", ["-s", acct, link]).run()
    try #require(made.status == 0, "\(made.errorText)")
    let asked = try await home.recipe(
      "git",
      ["-c", "credential.helper=\(link) --account work", "credential", "fill"],
      with: ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "GIT_CONFIG_NOSYSTEM": "1"],
      input: "protocol=https\nhost=git.example\n\n"
    ).run()
    #expect(asked.text.contains("\npassword=\(Self.token)\n"), "\(asked.errorText)")
  }

  @Test("Git lists and clones a repository over http with the account's token")
  func network() async throws {
    let folder = try TemporaryFolder()
    let made = try await ChildProcess(
      "sh",
      [
        "-euc",
        """
        git init -q --bare "$1/notes.git" && git init -q "$1/work" && cd "$1/work"
        git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m first
        git push -q "$1/notes.git" HEAD:refs/heads/main
        """, "sh", folder.path,
      ]
    ).run()
    try #require(made.status == 0, "\(made.errorText)")
    let input = try OpenInput()
    let program = ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Tests/Recipes/git_server.py"), folder.path, Self.token]
    )
    let server = try RunningProcess(input.feeding(program))
    let origin = "http://127.0.0.1:\(try await server.firstLine())"

    let home = try AcctHome()
    try await home.addBearer("work", at: origin, token: Self.token)
    let listed = try await git(home, ["ls-remote", "\(origin)/notes.git"]).run()
    #expect(listed.status == 0, "\(listed.errorText)")
    #expect(listed.text.contains("\trefs/heads/main\n"))
    let clone = ["clone", "-q", "-b", "main", "\(origin)/notes.git", "\(folder.path)/clone"]
    let cloned = try await git(home, clone).run()
    #expect(cloned.status == 0, "\(cloned.errorText)")

    try await home.addBearer("nobody", at: origin, token: "wrong")
    #expect(try await git(home, ["ls-remote", "\(origin)/notes.git"]).run().status == 128)
    await server.stop()
  }
}
