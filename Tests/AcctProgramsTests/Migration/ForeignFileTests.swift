import AcctEngine
import AcctModel
import AcctPrograms
import AcctProtocol
import Secrets
import StrictJSON
import Testing

@Suite("Files of other programs")
struct ForeignFileTests {
  private func shown(_ found: FoundLogins) -> [String] {
    found.logins.map { login in
      guard case .value(let secret) = login.secret else { return "\(login.user ?? "-") \(login.place) \(login.secret)" }
      return "\(login.user ?? "-") \(login.origins.map(\.description).joined(separator: ",")) \(secret.shownText)"
    }
  }

  @Test("A line of git's file has a user, a password, a host and a path, each percent-encoded")
  func git() {
    let text = """
      \r
      # a comment
      https://a%40b:p%3Aq@git.example:444/x%20y/z/
      https://:made-up@h.example
      http://u:p%zz%00@localhost:1
      https://u:p@[::1]:8443/
      https://c:d@git.example:444/x
      """
    let found = GitCredentialFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "a@b https://git.example:444 p:q", " https://h.example made-up", "u http://localhost:1 p%zz%00",
        "u https://[::1]:8443 p", "c https://git.example:444 d",
      ]
    )
    #expect(found.logins.map(\.path) == ["/x%20y/z", nil, nil, nil, "/x"])
    #expect(found.logins.map(\.line) == [3, 4, 5, 6, 7])
    #expect(found.skipped.isEmpty)
  }

  @Test(
    "A line that git would not use, or that can't be sent, is left out with the reason",
    arguments: [
      ("https://%FF:p@a.example", SkippedLogin.Reason.notText), ("https://u%0Ax:p@a.example", .notText),
      ("https://:@a.example", .noSecret),
      ("https://a.example", .noSecret), ("ssh://u:p@a.example", .scheme), ("https://u:p@", .address),
      ("https://u:p@a example", .address), ("https://u:p@a%2Fb", .address), ("http://u:p@a.example", .plainHTTP),
      ("https://u:p@a@b.example", .address), (" https://u:p@a.example", .scheme),
      ("https://u:p@a.example\r", .address),
    ]
  )
  func unusableGit(_ line: String, _ reason: SkippedLogin.Reason) {
    let found = GitCredentialFile.logins(in: Secret(line + "\n"))
    #expect(found.logins.isEmpty)
    #expect(found.skipped.map(\.reason) == [reason])
    #expect(found.skipped.allSatisfy { $0.name == "line 1" || $0.line == 1 })
  }

  @Test("Two secrets for one account are both left out with their lines; the same one twice is taken once")
  func twice() {
    let text = "https://u:one@a.example/x\nhttps://u:two@a.example/x/\nhttps://u:p@b.example\nhttps://u:p@b.example\n"
    let found = GitCredentialFile.logins(in: Secret(text))
    #expect(shown(found) == ["u https://b.example p"])
    #expect(
      found.skipped == [
        SkippedLogin(name: "a.example", line: 1, reason: .twice(at: "line 2")),
        SkippedLogin(name: "a.example", line: 2, reason: .twice(at: "line 1")),
      ]
    )
  }

  @Test(
    "A token in the user's place is the secret, beside an empty password, that of GitHub, or any other",
    arguments: [
      ("ghp_made-up-made-up-1", "", "ghp_made-up-made-up-1", ""), ("some-key", "", "some-key", ""),
      ("some-key", "x-oauth-basic", "some-key", "x-oauth-basic"),
      ("glpat-made-up-made-up-1", "x", "glpat-made-up-made-up-1", "x"),
      ("github_pat_made-up-made-up-1", "other", "github_pat_made-up-made-up-1:other", nil),
    ]
  )
  func tokenAsUser(_ user: String, _ password: String, _ secret: String, _ word: String?) throws {
    let found = GitCredentialFile.logins(in: Secret("https://\(user):\(password)@a.example\n"))
    let login = try #require(found.logins.first)
    #expect(login.user == nil && login.form == .userIsToken(password: word))
    #expect(login.secret == .value(Secret(secret)))
  }

  @Test("A .netrc is read as curl does: comments, quotes with escapes, macros, words in any order")
  func netrc() throws {
    let text = """
      # machine no.example login a password b
      machine one.example\tlogin alice password p#1
      MACHINE two.example
        password "a \\"b\\" \\\\ c"
        account x login bob
      macdef init
      machine macro.example login a password b

      machine three.example password alone
      machine one.example login alice password second
      machine four.example login carol
      default login any password any
      """
    let found = try NetrcFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "alice https://one.example p#1", #"bob https://two.example a "b" \ c"#, "- https://three.example alone",
      ]
    )
    #expect(
      found.skipped == [
        SkippedLogin(name: "one.example", line: 10, reason: .after("line 2")),
        SkippedLogin(name: "four.example", line: 11, reason: .noSecret),
        SkippedLogin(name: "default", line: 12, reason: .anyHost),
      ]
    )
  }

  @Test("A comment in a .netrc begins at any word, an empty word is a value, and a line that is too long is left out")
  func netrcWords() throws {
    let text = """
      machine files.example login olga password today # before: login oleg password yesterday
      machine empty.example login\u{20}
      x password y
      machine long.example login x password \(String(repeating: "z", count: 4094))
      machine b.example password p
      machine b.example login bob password "#q"
      machine c.example login ghp_made-up-made-up-1
      """
    let found = try NetrcFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "olga https://files.example today", "- https://empty.example y", "bob https://b.example #q",
        "- https://c.example ghp_made-up-made-up-1",
      ]
    )
    #expect(
      found.skipped == [
        SkippedLogin(name: "line 4", reason: .tooLong), SkippedLogin(name: "b.example", line: 5, reason: .noUser),
      ]
    )
  }

  @Test("A .netrc with CRLF, without an end, and with nothing in it is read")
  func netrcEdges() throws {
    #expect(
      try shown(NetrcFile.logins(in: Secret("machine a.example\r\nlogin x\r\npassword y"))) == ["x https://a.example y"]
    )
    for text in [
      "", "machine", "machine a.example login", "login x password y", "macdef x", "\n\n#", "machine a b password c",
    ] {
      #expect(try NetrcFile.logins(in: Secret(text)).logins.count <= 1, "\(text)")
    }
    #expect(throws: MigrationFlaw.line(2, .quote)) { try NetrcFile.logins(in: Secret("machine a\npassword \"x\n")) }
  }

  @Test("docker's auths are decoded, and helpers come before them")
  func docker() throws {
    let text = """
      {"auths":{"a.example":{"auth":"dTpwOnE="},"b.example":{"auth":"dTpw"},"c.example":{"auth":"!"},
      "d.example":{"auth":"dTpw","identitytoken":"x"},"e.example":{"username":"u","password":"p"},"f.example":{"auth":"dQ=="},
      "i.example/team-a/":{"auth":"dTpw"},"https://j.example/v1/":{"auth":"dTpwAAA="},
      "registry.hub.docker.com":{"username":"no","password":"no","auth":"dTpw"},
      "https://index.docker.io/v1/refresh-token":{"auth":"dTpw"}},
      "credHelpers":{"b.example":"pass","g.example":"../x","h.example":"acct"},"other":[1]}
      """
    let found = try DockerConfigFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "- b.example dockerHelper(\"pass\")", "u https://a.example p:q", "u https://e.example p",
        "u https://i.example p", "u https://j.example p", "u https://index.docker.io p",
      ]
    )
    #expect(found.logins.compactMap(\.path) == ["/team-a"])
    #expect(
      found.skipped.map(\.name) == [
        "g.example", "c.example", "d.example", "f.example", "https://index.docker.io/v1/refresh-token",
      ]
    )
    let general = try DockerConfigFile.logins(in: Secret(#"{"auths":{"a.example":{}},"credsStore":"secretservice"}"#))
    #expect(shown(general) == ["- a.example dockerHelper(\"secretservice\")"])
    let flaws: [(String, MigrationFlaw)] = [
      ("", .json(.truncated, line: 1)), ("[]", .notJSON), ("{\n\n", .json(.truncated, line: 3)),
      (#"{"auths":{"a":{},"a":{}}}"#, .json(.duplicateMember("a"), line: nil)),
      ("{\n\"a\": x}", .json(.unexpected(offset: 7), line: 2)),
    ]
    for (text, flaw) in flaws {
      #expect(throws: flaw) { try DockerConfigFile.logins(in: Secret(text)) }
    }
    for text in [#"{"auths":[]}"#, #"{"auths":{"a":1}}"#, #"{"credHelpers":{"a":1}}"#] {
      #expect(try DockerConfigFile.logins(in: Secret(text)).logins.isEmpty)
    }
  }

  @Test("cargo's files are read as TOML: quoted and dotted keys, inline tables, strings of four kinds")
  func cargo() throws {
    let text = """
      # comment
      registries.five = { token = "in line" }
      [ registries . "my work" ]
      token="a\\"b\\u0041" # c
      [[list]]
      token = "no"
      [registries.plain]
      token = 5
      [registries.three]
      token = \"\"\"
      x\\
        y\"\"\"
      [registries.git]
      token = "x"
      [registries.signed]
      secret-key = "x"
      [registry]
      global = true
      token = 'lit\\eral'
      """
    let settings = """
      registries."my work".index = "sparse+https://cargo.example/"
      [registries]
      three = { index = 'sparse+https://cargo.example/three/' }
      five = { index = "sparse+https://five.example" }
      git = { index = "https://git.example/index" }
      """
    let found = try CargoCredentialsFile.logins(in: Secret(text), settings: Secret(settings))
    #expect(
      shown(found) == [
        "- https://five.example in line", #"- https://cargo.example a"bA"#, "- https://cargo.example xy",
        #"- https://crates.io lit\eral"#,
      ]
    )
    #expect(found.logins.map(\.path) == [nil, nil, "/three", nil])
    #expect(
      found.skipped == [
        SkippedLogin(name: "plain", line: 8, reason: .notText), SkippedLogin(name: "git", line: 14, reason: .gitIndex),
        SkippedLogin(name: "signed", line: 16, reason: .secretKey),
      ]
    )
    for text in [
      "[registry]\ntoken = \"open", "[registry\ntoken = \"x\"", "[registry]\ntoken = \"\\x41\"",
      "[registry]\ntoken = 'a'\ntoken = 'b'",
    ] {
      #expect(throws: MigrationFlaw.self, "\(text)") {
        try CargoCredentialsFile.logins(in: Secret(text), settings: nil)
      }
    }
  }

  @Test("gh's users are those of a host, and the one of files before 2.40")
  func gh() throws {
    let new =
      "github.com:\n    git_protocol: https\n    users:\n        alice:\n            oauth_token: x\n        bob:\n    user: bob\n"
    #expect(
      try shown(HostsFile.gh(Secret(new))) == [
        "alice https://github.com,https://api.github.com x", "bob github.com gh(isActive: true)",
      ]
    )
    let old = "# c\n\"git.example\":\r\n    oauth_token: x\r\n    user: 'carol'\r\n"
    #expect(
      try shown(HostsFile.gh(Secret(old))) == ["carol https://git.example,https://api.git.example x"]
    )
    #expect(try HostsFile.gh(Secret("a b:\n  user: x\n")).skipped == [SkippedLogin(name: "a b", reason: .address)])
  }

  @Test("glab's hosts count if they have a token, in the file or the keyring")
  func glab() throws {
    let text = """
      git_protocol: ssh
      hosts:
          gitlab.com:
              token: !!null
              user: no
          a.example:
              token: !!null secret
              api_host: api.a.example
          b.example:
              use_keyring: "true"
              user: bob
          c.example:
              token: ""
          d.example:
              token: short
              is_oauth2: "true"
      """
    let found = try HostsFile.glab(Secret(text))
    #expect(shown(found) == ["- https://a.example,https://api.a.example secret", "bob b.example glab"])
    #expect(found.skipped == [SkippedLogin(name: "d.example", reason: .oauth(provider: "gitlab:d.example"))])
  }

  @Test("Hostile bytes, cut off anywhere, are read without a crash")
  func hostile() {
    let texts = [
      "https://u:p%41@a.example/x\n", "machine a login \"b\\\"\" password c\nmacdef x\n\n",
      #"{"auths":{"a":{"auth":"dTpw"}}}"#,
      "[registries.\"a\"]\ntoken = \"b\\\\\"\n", "hosts:\n  a:\n    token: x\n    user: 'y'\n", ":\n \":\n",
      "a: {b: {\"c\": 'd', e: [}}\n- - k: |\n    x\n",
    ]
    for text in texts {
      let bytes = Array(text.utf8)
      for end in 0...bytes.count {
        for tail: [UInt8] in [[], [0xFF], [0x00], [0x22], [0x5C], [0x0D], [0x3A]] { read(Secret(bytes[..<end] + tail)) }
      }
    }
    for byte: UInt8 in [0x20, 0x22, 0x3A, 0x5B, 0x7B, 0x0A, 0x25, 0xFF] {
      read(Secret([UInt8](repeating: byte, count: 20_000)))
    }
  }

  private func read(_ secret: Secret) {
    _ = GitCredentialFile.logins(in: secret)
    _ = try? NetrcFile.logins(in: secret)
    _ = try? DockerConfigFile.logins(in: secret)
    _ = try? CargoCredentialsFile.logins(in: secret, settings: secret)
    _ = try? HostsFile.gh(secret)
    _ = try? HostsFile.glab(secret)
    _ = try? OIDCAgentSession.parse(secret)
    _ = try? DockerHelperAnswer(secret)
  }
}
