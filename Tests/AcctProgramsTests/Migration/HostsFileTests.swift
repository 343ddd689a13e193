import AcctPrograms
import AcctProtocol
import Secrets
import Testing

/// The values are those that gh 2.23 prints for the same files.
@Suite("YAML of gh and glab")
struct HostsFileTests {
  private func tokens(_ text: String) throws -> [String] {
    try HostsFile.gh(Secret(text)).logins.map { login in
      guard case .value(let secret) = login.secret else { return "\(login.user ?? "-"): no token" }
      return "\(login.user ?? "-"): \(secret.shownText)"
    }
  }

  @Test(
    "A token has quotes, escapes, comments and tags as in YAML, and the text of a scalar whatever its type is",
    arguments: [
      ("x # a comment", "x"), ("x#y", "x#y"), ("\tx \t", "x"), ("\"a\\tb\"", "a\tb"), ("'it''s'", "it's"),
      ("\"\\x41\\u00e9\\\\\\\"\" # c", "Aé\\\""), ("\"#\"", "#"), ("!!null z", "z"), ("!!str s", "s"), ("&a x", "x"),
      ("null", "null"), ("~", "~"), ("a:b", "a:b"), ("-x", "-x"),
    ]
  )
  func scalars(written: String, token: String) throws {
    for end in ["\n", "\r\n"] {
      let text = ["h.example:", "    oauth_token: \(written)", "    user: a", ""].joined(separator: end)
      #expect(try HostsFile.gh(Secret(text)).logins.map(\.secret) == [.value(Secret(token))], "\(text)")
    }
  }

  @Test(
    "Mappings in braces, lists, documents, byte order marks and quoted keys are read",
    arguments: [
      ("h.example: {oauth_token: t, user: a}\n", ["a: t"]),
      ("h.example: {\n  \"oauth_token\":\"t, }\", # c\n  user: a}\n", ["a: t, }"]),
      (#"{"h.example": {"oauth_token":"t"}}"#, ["-: t"]),
      ("h.example:\n    list:\n    - a: 1\n      oauth_token: no\n    - b\n    oauth_token: t\n", ["-: t"]),
      ("\u{FEFF}---\n'h.example':\n  user: a\n  oauth_token: t\n", ["a: t"]),
      ("h.example:\n  note: |\n    oauth_token: no\n\n    user: no\n  oauth_token: t\n", ["-: t"]),
      (
        "h.example:\n  users:\n    a: {}\n    b:\n      oauth_token: u\n  user: a\n  oauth_token: t\n",
        ["a: t", "b: u"]
      ),
      ("h.example:\n  users: {a: {oauth_token: t}}\n  oauth_token: t\n", ["a: t"]),
      ("h.example:\n  oauth_token: one\n  oauth_token: two\n", ["-: one"]),
      ("h.example: {}\nh2.example:\n  user: a\n", ["a: no token"]),
    ]
  )
  func structures(text: String, expected: [String]) throws { #expect(try tokens(text) == expected, "\(text)") }

  @Test("A quote that does not end, and a tab in an indentation, are told with their line")
  func flaws() {
    #expect(throws: MigrationFlaw.line(2, .quote)) {
      try HostsFile.gh(Secret("h.example:\n  oauth_token: \"open\n  user: a\n"))
    }
    #expect(throws: MigrationFlaw.line(3, .tab)) { try HostsFile.gh(Secret("h.example:\n\n\toauth_token: t\n")) }
  }

  @Test("The helpers of clouds, whose passwords end within hours, are left to docker")
  func shortLived() throws {
    let text =
      #"{"credHelpers":{"a.example":"ecr-login","b.example":"gcloud","c.example":"acr-env","d.example":"pass"}}"#
    let found = try DockerConfigFile.logins(in: Secret(text))
    #expect(found.logins.map(\.place) == ["d.example"])
    #expect(found.skipped.map(\.reason) == ["ecr-login", "gcloud", "acr-env"].map { .shortLived(helper: $0) })
  }
}
