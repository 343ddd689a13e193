import AcctModel
import AcctPorts
import AcctPrograms
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Files of logins, and what is left out of them")
struct FilesOfLoginsTests {
  let record = RecordedWorld()

  @Test(
    "glab's token is in its file, else glab is asked; it is sent as Bearer to its host, and one of OAuth is left out"
  )
  func glab() async {
    record.foreignFiles[.glab] = """
      hosts:
          gitlab.com:
              token:
          git.example:
              token: !!null made-up-in-the-file
              user: alice
              api_protocol: https
          git2.example:
              use_keyring: "true"
              user: bob
          gitlab.org:
              is_oauth2: "true"
              token: made-up-for-hours
              oauth2_refresh_token: made-up
      """
    record.programs.install("glab") { _ throws(ProgramFailure) in ProgramResult(status: 0, output: Secret("")) }
    record.programs.install("env") { _ throws(ProgramFailure) in
      ProgramResult(status: 0, output: Secret("made-up-glpat\n"))
    }
    #expect(await record.acct("add", "--from", "glab") == 0)
    #expect(
      record.err.prefix(3) == [
        "acct: /home/.config/glab-cli/config.yml: gitlab.org is left out: its token ends within hours, and one program alone can renew it: "
          + "`acct add gitlab:gitlab.org` signs in",
        "acct: added alice@git.example", "acct: added bob@git2.example",
      ]
    )
    for (host, token) in [("git.example", "made-up-in-the-file"), ("git2.example", "made-up-glpat")] {
      #expect(await record.acct("header", "https://\(host)/api/v4/user") == 0)
      #expect(record.out == "Authorization: Bearer \(token)\n")
    }
  }

  @Test("git's passwords become Basic accounts; those for http and of other machines are left out, and said")
  func git() async {
    record.foreignFiles[.git] = """
      https://alice:made%20up@git.example
      https://bob:made-up@git.example:8443/path
      http://carol:made-up@plain.example
      https://dave@git.example
      nonsense
      """
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(
      record.err == [
        "acct: /home/.git-credentials: line 3 is left out: it is for http, which shows a password to the network",
        "acct: /home/.git-credentials: line 4 is left out: it has no password",
        "acct: /home/.git-credentials: line 5 is left out: it names no host that acct can send it to",
        "acct: added alice@git.example", "acct: added bob@git.example:8443",
        "acct: git still has the passwords; to remove them there, delete lines 1, 2 in /home/.git-credentials",
      ]
    )
    #expect(await record.acct("header", "-a", "alice@git.example", "https://git.example/") == 0)
    #expect(record.out == "Authorization: Basic YWxpY2U6bWFkZSB1cA==\n")
    // Each of them renews its own account.
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.accountFiles == 2)
  }

  @Test("A login without a user is called by its program, and sent with an empty user")
  func noUser() async {
    record.foreignFiles[.git] = "https://:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: added git@git.example")
    #expect(await record.acct("header", "https://git.example/") == 0)
    #expect(record.out == "Authorization: Basic Om1hZGUtdXA=\n")
  }

  @Test("A .netrc's machines become Basic accounts, by a path or its own place")
  func netrc() async {
    let text = "machine api.example login alice password \"made up\"\r\ndefault login any password made-up\r\n"
    record.foreignFiles["./some/netrc"] = text
    #expect(await record.acct("add", "--from", "netrc") == 1)
    #expect(record.err.first == "acct: netrc has no login that acct can take over")
    #expect(await record.acct("add", "--from", "netrc", "./some/netrc") == 0)
    #expect(record.err.contains("acct: added alice@api.example"))
    #expect(record.err.contains { $0.contains("default is left out: it is for any host") })
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.out == "Authorization: Basic YWxpY2U6bWFkZSB1cA==\n")
  }

  @Test("docker's logins come from its file, and from the helper of a registry")
  func docker() async {
    record.foreignFiles[.docker] = """
      {"auths":{"https://index.docker.io/v1/":{"auth":"YWxpY2U6bWFkZS11cA=="},"other.example":{}},
       "credHelpers":{"registry.example":"made-up"}}
      """
    record.programs.install("docker-credential-made-up") { call throws(ProgramFailure) in
      #expect(call.input == .text("registry.example"))
      return ProgramResult(status: 0, output: Secret(#"{"ServerURL":"x","Username":"bob","Secret":"hush-hush"}"#))
    }
    #expect(await record.acct("add", "--from", "docker") == 0)
    #expect(
      record.err == [
        "acct: /home/.docker/config.json: other.example is left out: it has no password",
        "acct: added bob@registry.example", "acct: added alice@index.docker.io",
        "acct: docker still has the login; to remove it there: `docker logout registry.example`",
        "acct: docker still has the login; to remove it there: `docker logout https://index.docker.io/v1/`",
      ]
    )
    #expect(await record.acct("token", "-a", "bob@registry.example") == 0)
    #expect(record.out == "hush-hush\n")
  }

  @Test("cargo's tokens are sent alone, to crates.io or to a sparse registry of its settings")
  func cargo() async {
    record.foreignFiles[.cargo] = """
      [registry]
      token = "made-up-crates" # a comment
      [registries.work]
      token = 'Bearer made-up-work'
      [registries.other]
      token = "made-up-other"
      """
    record.foreignFiles[RecordedForeignFiles.path(of: .cargoSettings)] = """
      [registries.work]
      index = "sparse+https://cargo.example/index/"
      [registries.other]
      index = "https://git.example/index.git"
      """
    #expect(await record.acct("add", "--from", "cargo") == 0)
    #expect(
      record.err.contains("acct: added cargo@crates.io") && record.err.contains("acct: added cargo@cargo.example")
    )
    #expect(record.err.first?.contains("other is left out") == true)
    #expect(await record.acct("header", "https://crates.io/api/v1/me") == 0)
    #expect(record.out == "Authorization: made-up-crates\n")
    #expect(await record.acct("header", "https://cargo.example/api") == 0)
    #expect(record.out == "Authorization: Bearer made-up-work\n")
  }

  @Test("A word that names no login names a file, and a token that has expired already is said")
  func file() async {
    record.foreignFiles["mine"] = "https://alice:\(Handoffs.token(["exp": 1_799_999_000]))@git.example\n"
    #expect(await record.acct("add", "--from", "git", "mine") == 0)
    #expect(
      record.err.prefix(2) == [
        "acct: the token of alice@git.example has expired already, as its exp says", "acct: added alice@git.example",
      ]
    )
    record.foreignFiles[.git] = "https://mine:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git", "mine") == 0)
    #expect(record.err.first == "acct: added mine@git.example")
    #expect(await record.acct("add", "--from", "git", "yours") == 1)
    #expect(record.err.first == "acct: git has no login called yours")
  }

  @Test("A file that others can read is read, with a warning")
  func exposed() async {
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    record.foreignFiles.expose("/home/.git-credentials")
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(record.err.first == "acct: other users can read /home/.git-credentials: `chmod 600 /home/.git-credentials`")
  }

  @Test("A damaged file is named with the line and the reason, and nothing is stored")
  func damaged() async {
    let rows: [(OtherProgram, String, String)] = [
      (.netrc, "machine a.example\nlogin x password \"open\n", "line 2: a quoted text does not end"),
      (.netrc, "machine a.example\nlogin a\u{0}b\n", "line 2: it has a zero byte"),
      (.docker, "{\n\"auths\": x}", "line 2: not JSON: unexpected byte at offset 11"),
      (.docker, "{\n", "line 2: the JSON is truncated"),
      (.docker, #"{"auths":{},"auths":{}}"#, "the JSON has two members named auths"),
      (.docker, "[]", "it is not a JSON object"),
      (.cargo, "[registry]\ntoken = \"open\n", "line 2: a quoted text does not end"),
      (.cargo, "[registry]\ntoken =\n", "line 2: a value is missing or malformed"),
      (.cargo, "[registry\n", "line 1: ] is missing"), (.cargo, "a = 1\na = 1\n", "line 2: it sets a key again"),
      (.gh, "github.com:\n\tuser: x\n", "line 2: a tab indents it, which YAML does not allow"),
      (
        .glab, "hosts:\n  a:\n    token: \"\\q\"\n", "line 3: a quoted text has an escape that the format does not have"
      ),
    ]
    for (program, text, reason) in rows {
      record.foreignFiles[program] = text
      #expect(await record.acct("add", "--from", program.rawValue) == 65)
      let name = program.rawValue
      #expect(
        record.err.first
          == "acct: \(RecordedForeignFiles.path(of: .credentials(program))) is not a file of \(name): \(reason)"
      )
    }
    #expect(record.accountFiles == 0)
    // What is damaged does not hide the others from the list.
    record.foreignFiles[.git] = "https://alice:made-up@git.example\n"
    #expect(await record.acct("add", "--from") == 0)
  }

  @Test("--import of a file that --from can read says so")
  func importHint() async {
    let files: [(OtherProgram, String)] = [
      (.git, "https://alice:made-up@git.example\n"), (.netrc, "machine a.example login alice password made-up\n"),
      (.docker, #"{"auths":{}}"#), (.cargo, "[registry]\ntoken = \"made-up\"\n"),
    ]
    for (program, text) in files {
      record.provide("in", text)
      #expect(await record.acct("add", "--import", "in") == 65)
      #expect(
        record.err == [
          "acct: in is a file of \(program.rawValue), not JSON for --import",
          "acct: hint: `acct add --from \(program.rawValue) ./in`",
        ]
      )
      record.foreignFiles["./in"] = text
      #expect([0, 1].contains(await record.acct("add", "--from", program.rawValue, "./in")))
    }
    record.provide("in", "nonsense")
    #expect(await record.acct("add", "--import", "in") == 65)
    #expect(record.err.first?.hasPrefix("acct: not JSON") == true)
  }

  @Test("cargo's old file is read alone, and before the new one where both are there")
  func cargoFiles() async {
    record.foreignFiles[RecordedForeignFiles.path(of: .cargoSettings)] =
      "[registries]\nexample = { index = \"sparse+https://cargo.example.com/index/\" }\n"
    for (files, lines) in [
      (["/home/.cargo/credentials"], ["acct: added cargo@cargo.example.com"]),
      (
        ["/home/.cargo/credentials", "/home/.cargo/credentials.toml"],
        [
          "acct: /home/.cargo/credentials.toml: line 2: example is left out: the program takes that of /home/.cargo/credentials",
          "acct: replaced the token of cargo@cargo.example.com",
        ]
      ),
    ] {
      for file in files { record.foreignFiles[file] = "[registries.example]\ntoken = \"in\(file)\"\n" }
      #expect(await record.acct("add", "--from", "cargo") == 0)
      #expect(Array(record.err.dropLast()) == lines)
      #expect(await record.acct("token") == 0)
      #expect(record.out == "in/home/.cargo/credentials\n")
    }
  }

  @Test("A URL of git's for another scheme, and an auth of docker's that is none, are told as that")
  func reasons() async {
    record.foreignFiles[.git] = "ssh://alice:made-up@git.example\nhttps://bob:made-up@git.example\n"
    #expect(await record.acct("add", "--from", "git") == 0)
    #expect(
      record.err.first
        == "acct: /home/.git-credentials: line 1 is left out: its URL is not for https, and acct sends a password with nothing else"
    )
    record.foreignFiles[.docker] = #"{"auths":{"a.example":{"auth":"!"},"b.example":{"auth":"dQ=="}}}"#
    #expect(await record.acct("add", "--from", "docker") == 1)
    for (host, line) in zip(["a", "b"], record.err) {
      #expect(
        line == "acct: /home/.docker/config.json: \(host).example is left out: its auth is not USER:PASSWORD in base64"
      )
    }
  }

  @Test("A token alone in a file for --import is told as that, with the option that takes it")
  func openedToken() async {
    for token in ["ghp_made-up-made-up-1", "glpat-made-up-made-up-1", "github_pat_made-up-made-up-1"] {
      record.provide("in", "\(token)\n")
      #expect(await record.acct("add", "--import", "in") == 65)
      #expect(record.err.first?.contains("a token alone") == true, "\(record.err)")
      #expect(
        record.err.last
          == "acct: hint: `acct add --token FILE --allow-origin https://api.example.com` takes it; nothing was stored"
      )
      #expect(!record.err.joined().contains("made-up"))
    }
  }

  @Test("--import says in one line that an end can't be read; a zero and Go's year 1 say nothing")
  func unreadableEnd() async {
    for (member, value, isTold): (String, JSON, Bool) in [
      ("expiry", "never", true), ("expires_at", "soon", true), ("expires_in", "soon", true), ("expires_at", true, true),
      ("expiry", "0001-01-01T00:00:00Z", false), ("expires_in", 0, false), ("expiry", "2027-01-15T09:00:00Z", false),
    ] {
      var changes: [String: JSON] = ["expires_in": nil]
      changes[member] = value
      record.provide("in", Handoffs.bearer(changing: changes))
      #expect(await record.acct("add", "--import", "in", "--replace") == 0)
      let lines = record.err.filter { $0.contains("can't be read") }
      let line = "acct: \(member) can't be read: when the token ends is not known from it"
      #expect(lines == (isTold ? [line] : []), "\(member) \(value)")
    }
  }
}
