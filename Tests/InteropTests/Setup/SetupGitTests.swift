import AcctTestSupport
import Testing

@Suite("git, set up by acct")
struct SetupGitTests {
  private static let before = "# mine\n[user]\n\tname = Alice  ; keep\n[credential]\n\thelper = cache --timeout=1\n"
  private let setup: SetupHome

  init() async throws {
    setup = try await SetupHome()
    try await setup.home.addBearer("work", at: "https://git.example", token: "made-up-for-git")
  }

  /// The password that git has for a server; `nil` without one.
  private func password(at host: String = "git.example") async throws -> String? {
    let filled = try await setup.run("git", ["credential", "fill"], input: "protocol=https\nhost=\(host)\n\n")
    return filled.text.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
  }

  @Test("git gets the token after the setup, and has its file byte for byte after the undoing")
  func general() async throws {
    try await setup.write(Self.before, to: ".gitconfig")
    #expect(try await password() == nil)
    let said = try await setup.setUp("git")
    #expect(said.contains("credential.helper = acct"))
    #expect(said.contains("git asks cache --timeout=1, too"))
    let values = try await setup.run("git", ["config", "--global", "--get-all", "credential.helper"])
    #expect(values.text == "cache --timeout=1\nacct\n")
    #expect(try await password() == "made-up-for-git")
    #expect(try await setup.setUp("git") == "acct: git already asks acct; nothing was changed\n")
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".gitconfig") == Self.before)
    #expect(try await password() == nil)
  }

  @Test(
    "A file that the setup made is gone after the undoing, and an XDG file that is there is the one that is changed"
  )
  func made() async throws {
    try await setup.setUp("git")
    #expect(try await password() == "made-up-for-git")
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".gitconfig") == nil)
    try await setup.write("", to: ".config/git/config")
    try await setup.setUp("git")
    #expect(try await setup.text(".gitconfig") == nil)
    #expect(try await password() == "made-up-for-git")
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".config/git/config") == "")
  }

  @Test("For one host acct is asked alone, and takes the place of that host's helper, which the undoing puts back")
  func host() async throws {
    let other = "!echo username=x; echo password=of-another; :"
    let before = Self.before + "[credential \"https://git.example\"]\n\thelper = \n\thelper = \"\(other)\"\n"
    try await setup.write(before, to: ".gitconfig")
    #expect(try await password() == "of-another")
    let said = try await setup.setUp("git", "--host", "git.example")
    let shown = "!echo username=x; echo password=<redacted>"
    #expect(said.contains("credential.https://git.example.helper = acct (replaces \(shown))"), "\(said)")
    #expect(!said.contains("of-another"), "\(said)")
    let records = try await ChildProcess("find", [setup.home.path, "-name", "setups.json", "-exec", "cat", "{}", ";"])
      .run()
    let stored = String(decoding: records.standardOutput, as: UTF8.self)
    #expect(stored.contains("git.example") && !stored.contains("of-another"))
    #expect(try await password() == "made-up-for-git")
    // git writes its file, so the lines alone are taken out.
    let written = try await setup.run("git", ["config", "--global", "user.email", "alice@example.com"])
    try #require(written.status == 0)
    try await setup.setUp("git", "--undo")
    let expected = before.replacing("; keep\n", with: "; keep\n\temail = alice@example.com\n")
    #expect(try await setup.text(".gitconfig") == expected)
  }

  @Test("Only the line of acct goes from a file that git has written since")
  func writtenSince() async throws {
    try await setup.write(Self.before, to: ".gitconfig")
    try await setup.setUp("git")
    let written = try await setup.run("git", ["config", "--global", "--add", "credential.helper", "store"])
    try #require(written.status == 0)
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text(".gitconfig") == Self.before + "\thelper = store\n")
  }

  @Test("A helper of several lines stays one helper, and a file that is not as before is not said to be")
  func severalLines() async throws {
    let other = #""!f() {\n  echo username=x\n  echo password=of-another\n}; f""#
    let before = "[credential \"https://git.example\"]\n\thelper = \n\thelper = \(other)\n"
    try await setup.write(before, to: ".gitconfig")
    let said = try await setup.setUp("git", "--host", "git.example")
    #expect(said.contains("credential.https://git.example.helper = acct (replaces !f() {"), "\(said)")
    let written = try await setup.run("git", ["config", "--global", "user.email", "alice@example.com"])
    try #require(written.status == 0)
    let undone = try await setup.setUp("git", "--undo")
    #expect(undone.contains("acct: git does not ask acct any more\n"), "\(undone)")
    let key = "credential.https://git.example.helper"
    let helpers = try await setup.run("git", ["config", "--global", "--null", "--get-all", key])
    #expect(helpers.text == "\0!f() {\n  echo username=x\n  echo password=of-another\n}; f\0")
    #expect(try await password() == "of-another")
  }

  @Test("A link to a file elsewhere stays one, with the file's mode")
  func link() async throws {
    try await setup.write(Self.before, to: "dotfiles/gitconfig")
    let path = setup.folder.path
    for line in [
      ["ln", "-s", "dotfiles/gitconfig", "\(path)/.gitconfig"], ["chmod", "644", "\(path)/dotfiles/gitconfig"],
    ] {
      try #require(try await ChildProcess(line[0], Array(line.dropFirst())).run().status == 0)
    }
    try await setup.setUp("git")
    #expect(try await setup.text("dotfiles/gitconfig")?.contains("helper = acct") == true)
    let status = try await ChildProcess("stat", ["-c", "%F %a", "\(path)/.gitconfig", "\(path)/dotfiles/gitconfig"])
      .run()
    #expect(status.text == "symbolic link 777\nregular file 644\n")
    try await setup.setUp("git", "--undo")
    #expect(try await setup.text("dotfiles/gitconfig") == Self.before)
  }

  @Test("A file that git cannot read is refused with 65, and left as it is")
  func malformed() async throws {
    try await setup.write("[user\n", to: ".gitconfig")
    let refused = try await setup.run("acct", ["helper", "setup", "git"])
    #expect(refused.status == 65)
    #expect(refused.errorText.contains("git cannot read \(setup.folder.path)/.gitconfig: "), "\(refused.errorText)")
    #expect(try await setup.text(".gitconfig") == "[user\n")
  }
}
