import AcctModel
import AcctPrograms
import AcctProtocol
import Secrets
import Testing

@Suite("Cargo's settings, changed")
struct CargoSettingsTests {
  private static let line = "global-credential-providers = [\"cargo:token\", \"cargo-credential-acct\"]\n"

  private func added(_ host: String? = nil, to text: String?) throws -> String? {
    try CargoConfig.adding(try host.map { try Origin($0) }, to: text.map { Secret($0) })?.contents.shownText
  }

  @Test("The global providers are added where TOML allows it, and every other byte stays")
  func global() throws {
    let line = Self.line
    let rows: [(before: String?, after: String)] = [
      (nil, "[registry]\n\(line)"), ("", "[registry]\n\(line)"),
      ("# mine\n[net]\nretry = 0", "# mine\n[net]\nretry = 0\n\n[registry]\n\(line)"),
      ("[registry] # r\ndefault = \"x\"\n[net]\n", "[registry] # r\n\(line)default = \"x\"\n[net]\n"),
      ("[registry]", "[registry]\n\(line)"),
      ("registry.default = \"x\"\n[net]\n", "registry.default = \"x\"\nregistry.\(line)[net]\n"),
      ("[registry.other]\nx = 1\n", "[registry.other]\nx = 1\n\n[registry]\n\(line)"),
      (
        "registry.global-credential-providers = [ 'cargo:libsecret' ]\n",
        "registry.global-credential-providers = [ 'cargo:libsecret', \"cargo-credential-acct\" ]\n"
      ),
      (
        "[registry]\nglobal-credential-providers = [\n  \"a\", # first\n  \"b\",\n]\n",
        "[registry]\nglobal-credential-providers = [\n  \"a\", # first\n  \"b\",\n  \"cargo-credential-acct\",\n]\n"
      ),
      (
        "[registry]\nglobal-credential-providers = []\n",
        "[registry]\nglobal-credential-providers = [\"cargo-credential-acct\"]\n"
      ),
    ]
    for row in rows { #expect(try added(to: row.before) == row.after) }
  }

  @Test("The registries at one origin get a provider of their own, however they are written")
  func registries() throws {
    let own = "credential-provider = [\"cargo-credential-acct\"]"
    let rows: [(before: String, after: String)] = [
      (
        "[registries.n]\n  index = \"sparse+https://n.example/i/\"\n",
        "[registries.n]\n  index = \"sparse+https://n.example/i/\"\n  \(own)\n"
      ),
      (
        "registries.\"n\".index = 'https://n.example/git'",
        "registries.\"n\".index = 'https://n.example/git'\nregistries.\"n\".\(own)\n"
      ),
      (
        "registries = {n = {index = \"sparse+https://n.example/\"}, o = {}}\n",
        "registries = {n = {index = \"sparse+https://n.example/\", \(own)}, o = {}}\n"
      ),
      (
        "[registries.n]\nindex = \"https://n.example\"\ncredential-provider = \"cargo:token\" # old\n",
        "[registries.n]\nindex = \"https://n.example\"\n\(own) # old\n"
      ),
    ]
    for row in rows {
      #expect(try added("https://n.example", to: row.before) == row.after)
      #expect(try added("https://n.example", to: row.after) == nil)
      #expect(throws: SettingsFlaw.unknownHost) { try added("https://other.example", to: row.before) }
    }
  }

  @Test("A file that asks acct already is not changed")
  func twice() throws {
    #expect(try added(to: "[registry]\n\(Self.line)") == nil)
    #expect(
      try added(to: "registry.global-credential-providers = [\"/usr/bin/cargo-credential-acct --account a\"]") == nil
    )
  }

  @Test("A file that is not TOML is named by its line, and not changed")
  func malformed() {
    let rows: [(text: String, flaw: SettingsFlaw)] = [
      ("a = 1\nb =\n", .line(2, .value)), ("[a\n", .line(1, .missing("]"))), ("a = \"open\n", .line(1, .quote)),
      ("a = [1, 2\n", .line(2, .missing("]"))), ("a = 1\na = 2\n", .line(2, .repeated)),
      ("[a]\n[a]\n", .line(2, .repeated)), ("a = {b = 1\n", .line(1, .missing("}"))),
      ("a = 1 b = 2\n", .line(1, .rest)), ("= 1\n", .line(1, .key)), ("a = '''open\n\n", .line(3, .quote)),
      ("a\n", .line(1, .missing("="))), ("a = \"\\q\"\n", .line(1, .escape)),
    ]
    for row in rows { #expect(throws: row.flaw, "\(row.text)") { try added(to: row.text) } }
    #expect(throws: SettingsFlaw.form("registry")) { try added(to: "registry = {default = \"x\"}\n") }
    #expect(throws: SettingsFlaw.form("registry.global-credential-providers")) {
      try added(to: "registry.global-credential-providers = \"x\"\n")
    }
  }

  @Test("TOML's other forms are read over: strings of several lines, lists of tables, dates, comments")
  func forms() throws {
    let text = """
      a = \"\"\"
      [registry]
      # no comment\\\" "\"\"\"
      b = 1979-05-27T07:32:00Z # [registry]
      c = [[1, 2,], # one
        {x = "y"}, ]
      [[list]]
      x = 1
      [[list]]
      x = 2
      [list.deep]
      y = 1
      "d.e" = true

      """
    #expect(try added(to: text) == text + "\n[registry]\n\(Self.line)")
  }

  @Test("Taking acct out of a file that was written since leaves the rest, and puts back what acct replaced")
  func removing() throws {
    let global = SettingChange("registry.global-credential-providers", "")
    let extended = SettingChange("registry.global-credential-providers", "", replacing: "[\"a\"]")
    let own = SettingChange("registries.n.credential-provider", "")
    let replacing = SettingChange("registries.n.credential-provider", "", replacing: "\"cargo:token\"")
    let provider = "credential-provider = [\"cargo-credential-acct\"]"
    let rows: [(change: SettingChange, before: String, after: String?)] = [
      (global, "[registry]\n\(Self.line)[net]\n", "[net]\n"),
      (global, "[registry]\n\(Self.line)default = \"x\"\n", "[registry]\ndefault = \"x\"\n"),
      (
        extended, "registry.global-credential-providers = [\"a\", \"cargo-credential-acct\", \"b\"]\n",
        "registry.global-credential-providers = [\"a\", \"b\"]\n"
      ),
      (
        extended, "registry.global-credential-providers = [\"cargo-credential-acct\", \"b\"]\n",
        "registry.global-credential-providers = [\"b\"]\n"
      ), (global, "[net]\n", nil), (global, "registry.global-credential-providers = [\"a\"]\n", nil),
      (own, "[registries.n]\n\(provider)\nindex = \"x\"\n", "[registries.n]\nindex = \"x\"\n"),
      (own, "registries = {n = {index = \"x\", \(provider)}}\n", "registries = {n = {index = \"x\"}}\n"),
      (replacing, "[registries.n]\n\(provider)\n", "[registries.n]\ncredential-provider = \"cargo:token\"\n"),
      (replacing, "[registries.n]\ncredential-provider = \"mine\"\n", nil),
    ]
    for row in rows {
      #expect(try CargoConfig.removing(row.change, from: Secret(row.before))?.shownText == row.after, "\(row.before)")
    }
  }
}
