import AcctTestSupport
import StrictJSON
import Testing

@Suite("The folders of the user's own providers")
struct ProviderFolderTests {
  private let configuration: TemporaryFolder
  private let home: AcctHome

  init() throws {
    configuration = try TemporaryFolder()
    home = try AcctHome(with: ["XDG_CONFIG_HOME": configuration.path])
    for name in ["acct", "acct/providers"] { _ = try configuration.folder(name) }
  }

  /// Describes a server in the user's configuration.
  private func describe(_ name: String, _ contents: String) throws {
    _ = try configuration.file("acct/providers/\(name).json", containing: contents)
  }

  /// The same in `ACCT_HOME`.
  private func describeAtHome(_ name: String, _ contents: String) async throws {
    let folder = "\(home.path)/config/providers"
    let script = #"umask 077; mkdir -p "$0" && cat > "$0/$1.json""#
    let written = try await ChildProcess("sh", ["-c", script, folder, name], input: contents).run()
    try #require(written.status == 0, "\(written.errorText)")
  }

  private func shown(_ name: String) async throws -> JSON {
    let shown = try await home.acct("providers", name, "--json")
    try #require(shown.status == 0, "\(shown.errorText)")
    return try JSON(parsing: shown.standardOutput)["provider"] ?? .null
  }

  @Test("A provider in the user's configuration is known with ACCT_HOME, too")
  func both() async throws {
    try describe("acme", #"{"title":"Acme","issuer":"https://acme.example"}"#)
    try await describeAtHome("other", #"{"title":"Other","issuer":"https://other.example"}"#)
    #expect(try await shown("acme")["data"]?["title"] == "Acme")
    #expect(try await shown("other")["data"]?["title"] == "Other")
    #expect(
      try await shown("acme")["file"] == .string("\(configuration.path)/acct/providers/acme.json")
    )
    let listed = try await home.acct("providers")
    #expect(listed.text.contains("acme ") && listed.text.contains("other "), "\(listed.text)")
  }

  @Test("Of two files of one name, the one in ACCT_HOME counts, and both precede acct's own")
  func precedence() async throws {
    try describe("gitlab", #"{"title":"Ours","issuer":"https://ours.example"}"#)
    #expect(try await shown("gitlab")["data"]?["title"] == "Ours")
    try await describeAtHome("gitlab", #"{"title":"Home's","issuer":"https://home.example"}"#)
    #expect(try await shown("gitlab")["data"]?["title"] == "Home's")
    #expect(
      try await shown("gitlab")["file"] == .string("\(home.path)/config/providers/gitlab.json")
    )
  }

  @Test("A damaged file is reported with the path that it has, and nothing takes its place")
  func damaged() async throws {
    try describe("gitlab", "{")
    let shown = try await home.acct("providers", "gitlab")
    #expect(shown.status == 65)
    let path = "\(configuration.path)/acct/providers/gitlab.json"
    #expect(shown.errorText.hasPrefix("acct: \(path) can't be used"), "\(shown.errorText)")
    try await describeAtHome("gitlab", "[]")
    let own = try await home.acct("providers", "gitlab")
    #expect(own.status == 65)
    #expect(own.errorText.contains("\(home.path)/config/providers/gitlab.json can't be used"))
  }
}
