import AcctModel
import AcctProtocol
import Secrets
import Testing

@Suite("Files of other programs")
struct ForeignFileTests {
  private func shown(_ found: FoundLogins) -> [String] {
    found.logins.map { login in
      guard case .value(let secret) = login.secret else { return "\(login.user ?? "-") \(login.place) \(login.secret)" }
      return "\(login.user ?? "-") \(login.origins.map(\.description).joined(separator: ",")) \(secret.shownText)"
    }
  }

  @Test("A line of git's file has a user, a password and a host, each percent-encoded")
  func git() {
    let text =
      "\r\n# a comment\r\n https://a%40b:p%3Aq@git.example:444/x/y?z \r\nhttps://:made-up@h.example\nhttp://u:p@localhost:1"
    let found = GitCredentialFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "a@b https://git.example:444 p:q", " https://h.example made-up", "u http://localhost:1 p",
      ]
    )
    #expect(found.skipped.isEmpty)
  }

  @Test(
    "A line that git would not use, or that can't be sent, is left out with the reason",
    arguments: [
      ("https://u:%zz@a.example", SkippedLogin.Reason.notText), ("https://u:%4@a.example", .notText),
      ("https://%FF:p@a.example", .notText), ("https://u%0Ax:p@a.example", .notText),
      ("https://u:@a.example", .noSecret),
      ("https://a.example", .noSecret), ("ssh://u:p@a.example", .address), ("https://u:p@", .address),
      ("https://u:p@a example", .address), ("https://u:p@a%2Fb", .address), ("http://u:p@a.example", .plainHTTP),
      ("https://u:p@a@b.example", .address),
    ]
  )
  func unusableGit(_ line: String, _ reason: SkippedLogin.Reason) {
    let found = GitCredentialFile.logins(in: Secret(line + "\n"))
    #expect(found.logins.isEmpty)
    #expect(found.skipped == [SkippedLogin(name: "line 1", reason: reason)])
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
    #expect(found.skipped.map(\.name) == ["four.example", "default"])
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
    #expect(throws: MigrationFlaw.line(2)) { try NetrcFile.logins(in: Secret("machine a\npassword \"x\n")) }
  }

  @Test("docker's auths are decoded, and helpers come before them")
  func docker() throws {
    let text = """
      {"auths":{"a.example":{"auth":"dTpwOnE="},"b.example":{"auth":"dTpw"},"c.example":{"auth":"!"},
      "d.example":{"auth":"dTpw","identitytoken":"x"},"e.example":{"username":"u","password":"p"},"f.example":{"auth":"dQ=="}},
      "credHelpers":{"b.example":"pass","g.example":"../x","h.example":"acct"},"other":[1]}
      """
    let found = try DockerConfigFile.logins(in: Secret(text))
    #expect(
      shown(found) == [
        "- b.example dockerHelper(\"pass\")", "u https://a.example p:q", "u https://e.example p",
      ]
    )
    #expect(found.skipped.map(\.name) == ["g.example", "c.example", "d.example", "f.example"])
    let general = try DockerConfigFile.logins(in: Secret(#"{"auths":{"a.example":{}},"credsStore":"secretservice"}"#))
    #expect(shown(general) == ["- a.example dockerHelper(\"secretservice\")"])
    for text in ["", "[]", "{", #"{"auths":{"a":{},"a":{}}}"#] {
      #expect(throws: MigrationFlaw.notJSON) { try DockerConfigFile.logins(in: Secret(text)) }
    }
    for text in [#"{"auths":[]}"#, #"{"auths":{"a":1}}"#, #"{"credHelpers":{"a":1}}"#] {
      #expect(try DockerConfigFile.logins(in: Secret(text)).logins.isEmpty)
    }
  }

  @Test("cargo's keys may be quoted or dotted, and what is no string is passed over")
  func cargo() throws {
    let text = """
      # comment
      [ registries . "my work" ]
      token="a\\"b"
      [[list]]
      token = "no"
      [registries.plain]
      token = 5
      token2 = \"\"\"x
      [registry]
      global = true
      token = 'lit\\eral'
      """
    let settings = #"registries."my work".index = "sparse+https://cargo.example/""# + "\n"
    let found = try CargoCredentialsFile.logins(in: Secret(text), settings: Secret(settings))
    #expect(shown(found) == [#"- https://cargo.example a"b"#, #"- https://crates.io lit\eral"#])
    for text in ["[registry]\ntoken = \"open", "[registry\ntoken = \"x\"", "[registry]\ntoken = \"\\u0041\""] {
      #expect(throws: MigrationFlaw.line(text.hasPrefix("[registry]") ? 2 : 1)) {
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
    _ = try? OIDCAgentSession(secret)
    _ = try? DockerHelperAnswer(secret)
  }
}
