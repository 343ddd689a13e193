import AcctTestSupport
import Testing

/// Logins that the programs themselves have written, or hand over.
@Suite("Logins of other programs, end to end")
struct OtherProgramTests {
  private let folder: TemporaryFolder
  private let home: AcctHome

  init() throws {
    folder = try TemporaryFolder()
    home = try AcctHome(with: [
      "HOME": folder.path, "PATH": "\(try folder.folder("bin")):/usr/local/bin:/usr/bin:/bin",
      // What another program would prefer to its own user's token.
      "GH_TOKEN": "not-the-token-of-a-user", "GITHUB_TOKEN": "not-this-one-either",
    ])
  }

  /// Runs another program of this home's.
  private func run(_ program: String, _ arguments: [String], input: String = "") async throws -> ChildProcess.Output {
    let environment = home.command([]).environment
    return try await ChildProcess(program, arguments, environment: environment, input: input).run()
  }

  @Test("The token of gh's user is the one that gh itself uses, and not the environment's")
  func gh() async throws {
    _ = try folder.folder(".config")
    _ = try folder.folder(".config/gh")
    _ = try folder.file(
      ".config/gh/hosts.yml",
      containing: "github.com:\n    oauth_token: made-up-token-of-gh\n    user: alice\n    git_protocol: https\n"
    )
    let added = try await home.acct("add", "--from", "gh")
    #expect(added.status == 0, "\(added.errorText)")
    #expect(added.errorText.hasPrefix("acct: added alice@github.com\n"))
    #expect(try await home.acct("token").text == "made-up-token-of-gh\n")
    let theirs = try await run("env", ["-u", "GH_TOKEN", "-u", "GITHUB_TOKEN", "gh", "auth", "token"])
    #expect(theirs.text == "made-up-token-of-gh\n")
  }

  @Test("A file of gh's that is named gives the tokens that gh reads in it, or is refused as gh refuses it")
  func ghFiles() async throws {
    let values = [
      "x # c", "x#y", "\tx\t", #""a\x41\u0042\"""#, "'it''s'", "!!null z", "!!str s", "&a x", "null", "~", "a:b",
      "\"open",
    ]
    let texts =
      values.flatMap { value in
        ["\n", "\r\n"].map { ["h.example:", "  oauth_token: \(value)", "  user: a", ""].joined(separator: $0) }
      } + [
        "h.example: {oauth_token: t, user: a}\n", #"{"h.example": {"oauth_token":"t", "user": "a"}}"#,
        "h.example: { # c\n  oauth_token: 't}',\n  user: a}\n", "h.example:\n\toauth_token: t\n",
        "h.example:\n  list:\n  - oauth_token: no\n  oauth_token: t\n  user: a\n",
        "---\n'h.example':\n  user: a\n  oauth_token: one\n  oauth_token: two\n",
      ]
    for (index, text) in texts.enumerated() {
      _ = try folder.folder("gh-\(index)")
      let path = try folder.file("gh-\(index)/hosts.yml", containing: text)
      let gh = ["-u", "GH_TOKEN", "-u", "GITHUB_TOKEN", "GH_CONFIG_DIR=\(folder.path)/gh-\(index)", "gh"]
      let theirs = try await run("env", gh + ["auth", "token", "--hostname", "h.example"])
      let added = try await home.acct("add", "--from", "gh", path, "--name", "t")
      #expect((added.status == 0) == (theirs.status == 0), "\(text): \(added.errorText)")
      guard theirs.status == 0 else { continue }
      #expect(try await home.acct("token", "-a", "t").text == theirs.text, "\(text)")
    }
  }

  @Test("A password with any characters that git has stored is sent as git sends it")
  func git() async throws {
    let password = "a b%:@/?#\"'\\ü"
    let login = "protocol=https\nhost=git.example:8443\nusername=al@ice\n"
    let stored = try await run("git", ["credential-store", "store"], input: "\(login)password=\(password)\n")
    #expect(stored.status == 0, "\(stored.errorText)")
    let added = try await home.acct("add", "--from", "git")
    #expect(added.status == 0, "\(added.errorText)")
    #expect(added.errorText.hasPrefix("acct: added al@ice@git.example:8443\n"))
    #expect(try await home.acct("token").text == "\(password)\n")
    let theirs = try await run("git", ["credential-store", "get"], input: "protocol=https\nhost=git.example:8443\n")
    #expect(theirs.text.contains("password=\(password)\n"))
  }

  @Test("docker's login in base64, and the one of a credential helper, are taken; the helper gets the server's name")
  func docker() async throws {
    _ = try folder.folder(".docker")
    _ = try folder.file(
      ".docker/config.json",
      containing: #"{"auths":{"a.example":{"auth":"YWxpY2U6bWFkZS11cA=="}},"credHelpers":{"b.example:5000":"made-up"}}"#
    )
    let helper = "#!/bin/sh\nread -r server || :\nprintf '{\"Username\":\"bob\",\"Secret\":\"for %s\"}' \"$server\"\n"
    let path = try folder.file("bin/docker-credential-made-up", containing: helper)
    #expect(try await run("chmod", ["700", path]).status == 0)
    let added = try await home.acct("add", "--from", "docker")
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("token", "-a", "bob@b.example:5000").text == "for b.example:5000\n")
    #expect(try await home.acct("token", "-a", "alice@a.example").text == "made-up\n")
  }

  @Test("A helper that fails, prints too much or is missing ends with its name and status 1")
  func brokenHelpers() async throws {
    _ = try folder.folder(".docker")
    for (name, script) in [
      ("failing", "echo credentials not found in native keychain; exit 1"),
      ("loud", "head -c 3000000 /dev/zero"), ("killed", "kill -KILL $$"), ("mute", ":"), ("missing", ""),
    ] {
      let config = try folder.file("\(name).json", containing: #"{"credHelpers":{"b.example":"\#(name)"}}"#)
      if !script.isEmpty {
        let path = try folder.file("bin/docker-credential-\(name)", containing: "#!/bin/sh\n\(script)\n")
        #expect(try await run("chmod", ["700", path]).status == 0)
      }
      let added = try await home.acct("add", "--from", "docker", config)
      #expect(added.status == 1 && added.errorText.contains("docker-credential-\(name)"), "\(added.errorText)")
    }
  }

  @Test("A .netrc gives the login that curl sends")
  func netrc() async throws {
    let server = try await FlowServer()
    // curl reads it for a host without its port, which acct takes for https.
    for (index, line) in [
      #"login alice password "a b\"c\\d""#, "\n\tpassword p#1\r\n\tlogin bob", "account x password last login carol",
    ].enumerated() {
      let path = try folder.file("netrc-\(index)", containing: "# comment\nmachine 127.0.0.1 \(line)\n")
      let curl = ["-sS", "--noproxy", "*", "--netrc-file", path, "\(server.url)/echo"]
      let sent = try await run("curl", curl).text
      let name = "n\(index)"
      let added = try await home.acct("add", "--from", "netrc", path, "--name", name)
      #expect(added.status == 0, "\(added.errorText)")
      let header = try await home.acct("header", "-a", name, "https://127.0.0.1/").text
      let value = header.dropFirst("Authorization: ".count).dropLast()
      #expect(value.hasPrefix("Basic ") && sent.contains(value), "\(sent)")
    }
  }

  @Test("A file that others can read is read with a warning; a folder and another user's file are refused")
  func files() async throws {
    let path = try folder.file("creds", containing: "https://alice:made-up@git.example\n")
    #expect(try await run("chmod", ["644", path]).status == 0)
    let added = try await home.acct("add", "--from", "git", path)
    #expect(added.status == 0)
    #expect(added.errorText.hasPrefix("acct: other users can read \(path): `chmod 600 \(path)`\n"))
    #expect(try await home.acct("add", "--from", "git", folder.path).status == 1)
    #expect(try await home.acct("add", "--from", "git", "/proc/1/environ").status == 1)
  }
}
