import AcctTestSupport
import Testing

@Suite("git's lists of helpers that are reset, judged by git")
struct SetupGitResetTests {
  private static let hosts = ["github.com", "git.corp.example", "other.example"]

  private func home() async throws -> SetupHome {
    let setup = try await SetupHome()
    for host in Self.hosts { try await setup.home.addBearer(host, at: "https://\(host)", token: "made-up-for-\(host)") }
    return setup
  }

  /// The servers for which git gets the account's token.
  private func answered(_ setup: SetupHome, with more: [String: String] = [:]) async throws -> [String] {
    var answered: [String] = []
    for host in Self.hosts {
      let filled = try await setup.run("git", ["credential", "fill"], with: more, input: "url=https://\(host)/a/b\n\n")
      if filled.text.contains("password=made-up-for-\(host)\n") { answered.append(host) }
    }
    return answered
  }

  private static let gh = "[credential \"https://github.com\"]\n\thelper =\n\thelper = !gh auth git-credential\n"

  @Test(
    "A reset is overcome wherever it stands in the user's files, and the undoing is exact",
    arguments: [
      // As `gh auth setup-git` writes it.
      [".gitconfig": "[credential]\n\thelper = cache\n\(gh)"],
      [".gitconfig": "\(gh)[credential]\n\thelper =\n"],
      [".gitconfig": "[credential]\n\thelper = \"\" # none\n[credential \"https://*.corp.example\"]\n\thelper =\n"],
      [
        ".gitconfig": "[credential]\n\thelper = cache\n[include]\n\tpath = more\n",
        "more": "[credential]\n\thelper =\n",
      ],
      [".gitconfig": "[include]\n\tpath = more\n[user]\n\tname = a", "more": gh],
      [".gitconfig": "[credential \"github.com\"]\n\thelper =\n[include]\n\tpath = more\n", "more": gh + gh],
      [".config/git/config": gh, ".gitconfig": "[user]\n\tname = a\n"],
      [
        ".config/git/config":
          "[includeIf \"gitdir:/\"]\n\tpath = x\n[credential \"https://alice@github.com\"]\n\thelper =\n"
      ],
    ]
  )
  func overcome(files: [String: String]) async throws {
    let setup = try await home()
    for (name, text) in files { try await setup.write(text, to: name) }
    let said = try await setup.setUp("git")
    #expect(try await answered(setup) == Self.hosts, "\(said)")
    let list = try await setup.run("acct", ["helper", "setup"])
    #expect(list.text.contains("git        set up\n"), "\(list.text)")
    #expect(try await setup.setUp("git") == "acct: git already asks acct; nothing was changed\n")
    #expect(try await setup.setUp("git", "--undo").hasSuffix("acct: git is as it was before\n"))
    for (name, text) in files { #expect(try await setup.text(name) == text) }
  }

  @Test("A program that resets the list after the setup is named in the list, and overcome by the next setup")
  func later() async throws {
    let setup = try await home()
    try await setup.setUp("git")
    let own = try #require(try await setup.text(".gitconfig"))
    try await setup.write(own + Self.gh, to: ".gitconfig")
    #expect(try await answered(setup) == ["git.corp.example", "other.example"])
    let list = try await setup.run("acct", ["helper", "setup"])
    #expect(
      list.text.contains("set up, but credential.https://github.com.helper names another helper, which `acct"),
      "\(list.text)"
    )
    let said = try await setup.setUp("git")
    #expect(said.contains("credential.https://github.com.helper = acct (replaces !gh auth git-credential)"), "\(said)")
    #expect(try await answered(setup) == Self.hosts)
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".gitconfig") == Self.gh)
  }

  @Test(
    "A section that resets the list after the setup is called that in the list, and overcome by the next setup",
    arguments: [
      ("[credential]\n\thelper =\n", "credential.helper"),
      ("[credential \"https://github.com\"]\n\thelper =\n", "credential.https://github.com.helper"),
    ]
  )
  func emptied(section: String, key: String) async throws {
    let setup = try await home()
    try await setup.setUp("git")
    let own = try #require(try await setup.text(".gitconfig"))
    try await setup.write(own + section, to: ".gitconfig")
    let words = "git        set up, but \(key) resets the list of helpers, which `acct helper setup git` overcomes\n"
    let list = try await setup.run("acct", ["helper", "setup"])
    #expect(list.text.contains(words), "\(list.text)")
    try await setup.setUp("git")
    #expect(try await answered(setup) == Self.hosts)
    #expect(try await setup.run("acct", ["helper", "setup"]).text.contains("git        set up\n"))
    try await setup.setUp("git", "--undo")
    let left = try #require(try await setup.text(".gitconfig"))
    // Where both are sections of one name, the head of acct's own can stay.
    #expect(left.hasSuffix(section) && !left.contains("acct"), "\(left)")
  }

  @Test("What acct can't overcome is named with its place: the environment's settings come last")
  func environment() async throws {
    let setup = try await home()
    let variables = [
      "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.https://github.com.helper", "GIT_CONFIG_VALUE_0": "",
    ]
    let said = try await setup.setUp("git", with: variables)
    #expect(
      said.contains("acct: credential.https://github.com.helper of the environment decides until it is removed there"),
      "\(said)"
    )
    let list = try await setup.run("acct", ["helper", "setup"], with: variables)
    #expect(list.text.contains("set up, but credential.https://github.com.helper of the environment"), "\(list.text)")
    #expect(try await answered(setup, with: variables) == ["git.corp.example", "other.example"])
    #expect(
      try await setup.setUp("git", with: variables) == """
        acct: credential.https://github.com.helper of the environment decides until it is removed there
        acct: git is set up already; nothing was changed

        """
    )
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".gitconfig") == nil)
  }
}
