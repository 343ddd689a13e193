import AcctTestSupport
import Testing

/// `Examples/git-credential-acct`: what git asks for a password.
@Suite("The recipe for git")
struct RecipeGitTests {
  private static let token = "made-up-token-of-this-test"

  /// git as a user of the recipe runs it: no prompt, no configuration but the helper.
  private func git(_ home: AcctHome, _ arguments: [String], input: String = "") -> ChildProcess {
    let variables = [
      "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "GIT_CONFIG_NOSYSTEM": "1",
    ]
    return home.recipe(
      "git",
      ["-c", "credential.helper=acct"] + arguments,
      with: variables,
      input: input
    )
  }

  @Test(
    "The command git credential fill gets the token for the account's own server, and for no other"
  )
  func fill() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    let own = try await git(
      home,
      ["credential", "fill"],
      input: "protocol=https\nhost=git.example\n\n"
    ).run()
    #expect(own.status == 0, "\(own.errorText)")
    #expect(
      own.text == "protocol=https\nhost=git.example\nusername=oauth2\npassword=\(Self.token)\n"
    )
    for (scheme, host) in [("https", "git.example.evil.test"), ("http", "git.example")] {
      let other = try await git(
        home,
        ["credential", "fill"],
        input: "protocol=\(scheme)\nhost=\(host)\n\n"
      ).run()
      #expect(!(other.text + other.errorText).contains(Self.token))
      #expect(other.errorText.contains("refused"), "\(other.errorText)")
    }
  }

  /// Hosts as git hands them on: taken from a URL, and decoded.
  private static let foreign = [
    "git.example/.evil.test", "git.example?.evil.test", "git.example#.evil.test",
    "git.example%2f.evil.test", "git.example\\.evil.test", "evil.test@git.example",
    "git.example@evil.test", "user:secret@git.example", "git.example:443@evil.test",
    "git.example .evil.test", "git.example\t.evil.test", "git.example\r", "git.example\u{1B}[2J",
    " git.example", "git.example ", "git.example.", ".git.example", "git..example",
    "git.example:8443", "git.example:", "git.example:443:443", "git.example:+443",
    "git.example:000443", "git.example:https", "gıt.example", "ｇit.example", "git.exämple",
    "git.example.evil.test", "evil-git.example", "[git.example]", "[::1]git.example", "[]", "",
  ]

  @Test("A host that only resembles the account's own gets nothing from git")
  func foreignHosts() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    func answer(_ question: String) async throws -> ChildProcess.Output {
      try await home.recipe("git-credential-acct", ["get"], input: "\(question)\n\n").run()
    }
    for host in Self.foreign {
      let asked = try await answer("protocol=https\nhost=\(host)")
      #expect(asked.status == 0, "\(host)")
      #expect(asked.text.isEmpty, "\(host)")
      #expect(asked.errorText.contains("refused"), "\(host): \(asked.errorText)")
      #expect(!asked.errorText.contains("\u{1B}"), "\(host)")
    }
    for scheme in ["", "http", "HTTPS", "ftp", "https://git.example/x?", "file", "ssh"] {
      let asked = try await answer("protocol=\(scheme)\nhost=git.example")
      #expect(asked.status == 0, "\(scheme)")
      #expect(asked.text.isEmpty, "\(scheme)")
      #expect(asked.errorText.contains("refused"), "\(scheme): \(asked.errorText)")
    }
    // The same origin in another spelling is the account's own; what stands behind it is no matter.
    for own in ["host=git.example", "host=GIT.example", "host=git.example:443"] {
      let asked = try await answer("protocol=https\n\(own)\npath=@evil.test/?#")
      #expect(asked.text == "username=oauth2\npassword=\(Self.token)\n", "\(own)")
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

  @Test("A helper with --account acts for that account, and a rejected token is not erased")
  func account() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://git.example", token: Self.token)
    try await home.addBearer("private", at: "https://git.example", token: "another")
    let question = "protocol=https\nhost=git.example\nusername=oauth2\npassword=\(Self.token)\n\n"
    let rejected = try await git(home, ["credential", "reject"], input: question).run()
    #expect(rejected.status == 0)
    #expect(rejected.text.isEmpty)
    let helper = home.recipe("git-credential-acct", ["--account", "work", "get"], input: question)
    #expect(try await helper.run().text == "username=oauth2\npassword=\(Self.token)\n")
  }

  @Test("A key-bound token is not given to git, which can't use it")
  func bound() async throws {
    let home = try AcctHome()
    let file = Product.source("Examples/alice.json")
    try #require(try await home.acct("add", "--import", file).status == 0)
    let question = "protocol=https\nhost=pds.example\n\n"
    let asked = try await home.recipe("git-credential-acct", ["get"], input: question).run()
    #expect(asked.status == 0)
    #expect(asked.text.isEmpty)
    #expect(asked.errorText.contains("no bearer token"))
  }

  @Test("The recipe for git lists and clones a repository over http with the account's token")
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
