import AcctTestSupport
import FleetPorts
import StrictJSON
import Testing

/// The built acct in homes that 0.1.0, 0.2.0 and this version have made.
@Suite("Homes of earlier versions")
struct OldHomeTests {
  /// What is expected of a home; a later version has more in it.
  struct Row: CustomTestStringConvertible, Sendable {
    let version: String
    var engine: EngineKind?
    /// Its accounts, each with an address that is its own.
    let accounts: [String: String]
    var hasUndo = false

    /// The account whose token is renewed: one of its own, but for a shared keyring, which seals where a server is.
    var renewed: String { engine == nil ? "carol" : "dave" }

    var testDescription: String { engine.map { "\(version)-\($0)" } ?? version }
  }

  private static let oauth = [
    "alice": "https://pds.example/notes", "bob": "https://more.example/notes", "carol": "https://notes.example/notes",
  ]
  private static let withKey = oauth.merging(["key": "https://api.example/"]) { $1 }
  private static let withEnv = withKey.merging(["openai": "https://api.openai.com/v1/models"]) { $1 }

  private static let rows =
    [
      Row(version: "0.1.0", accounts: oauth), Row(version: "0.2.0", accounts: withKey),
      Row(version: "0.3.0", accounts: withEnv, hasUndo: true),
    ]
    + EngineKind.allCases.flatMap { engine in
      [
        Row(version: "0.2.0", engine: engine, accounts: withKey),
        Row(version: "0.3.0", engine: engine, accounts: withEnv, hasUndo: true),
      ]
    }

  @Test("A home is listed, used, renewed, exported and undone by this version, and loses nothing", arguments: rows)
  func home(_ row: Row) async throws {
    let engine = try await row.engine?.start()
    if let engine { try await load(row, into: engine) }
    let old = try await OldHome(row.testDescription, on: engine)
    // Its engine is another one now, as one that was restored is.
    if engine != nil { try await old.acct("keyring", "trust") }
    let names = row.accounts.keys.sorted()
    var got: [String: String] = ["names": try await old.names()]
    got["in .acct"] =
      try await old.acct("token", in: old.work) == old.acct("token", "-a", "carol") ? "carol" : "another"
    got["limit"] = try await old.acct("limits", "bob", "--json").contains(#""remaining":40"#) ? "40 left" : "none"
    for (name, url) in row.accounts {
      try await old.acct("status", name)
      let header = try await old.acct("header", url, "-a", name)
      got["header of \(name)"] = header.split(separator: " ").dropFirst().first.map(String.init)
    }
    let tokens = try await tokens(of: names, old)
    let renewed = row.renewed
    if engine != nil { try await old.addExpired(renewed) }
    try await old.acct("refresh", "--force", renewed)
    got["renewals"] = try await old.renewals().map(String.init)
    got["its token"] = try await old.acct("token", "-a", renewed) == tokens[renewed] ? "as before" : "renewed"
    try await old.acct("switch", "-")
    got["names after"] = try await old.names()
    got["other tokens"] =
      try await self.tokens(of: names, old).allSatisfy { $0 == renewed || tokens[$0] == $1 }
      ? "as before" : "changed"
    got["exported anew"] = try await old.names(at: old.importing(old.exportAnew()))
    got["exported then"] = try await old.names(at: old.importing(old.export))
    if let engine {
      let newcomer = try AcctHome(with: ["ACCT_KEYRING": "auto"], hasVault: false)
      let joined = try await newcomer.command(["keyring", "join"] + engine.place + ["--no-input"]).run()
      got["on another machine"] = joined.status == 0 ? try await old.names(at: newcomer) : joined.errorText
    }
    if row.hasUndo {
      try await old.acct("add", "--from", "env", "\(old.work)/.env", "--undo", "--yes")
      got["undone"] = try await ChildProcess("cat", ["\(old.work)/.env"]).run().text
      got["removed"] = try await old.acct("log", "former").contains("removed") ? "logged" : "forgotten"
    }
    #expect(got == expected(row, names))
  }

  private func tokens(of names: [String], _ old: OldHome) async throws -> [String: String] {
    var tokens: [String: String] = [:]
    for name in names { tokens[name] = try await old.acct("token", "-a", name) }
    return tokens
  }

  private func expected(_ row: Row, _ names: [String]) -> [String: String] {
    func listed(_ names: [String], active: String) -> String {
      names.map { $0 == active ? "*\($0)" : $0 }.joined(separator: " ")
    }
    let later = Set(names + [row.renewed]).sorted()
    var expected = [
      "names": listed(names, active: "bob"), "names after": listed(later, active: "alice"), "in .acct": "carol",
      "limit": "40 left", "renewals": "1", "its token": "renewed", "other tokens": "as before",
      "exported then": listed(["alice", "bob", "carol"], active: "alice"),
      "exported anew": listed(later, active: "alice"),
    ]
    for name in names { expected["header of \(name)"] = ["alice", "carol"].contains(name) ? "DPoP" : "Bearer" }
    if row.engine != nil { expected["on another machine"] = later.joined(separator: " ") }
    if row.hasUndo {
      expected["undone"] = "OPENAI_API_KEY=sk-made-up-key-of-a-project-in-a-file\n"
      expected["removed"] = "logged"
    }
    return expected
  }

  /// Puts what the version had on its engine onto a new one.
  private func load(_ row: Row, into engine: any SharedEngine) async throws {
    let store = try engine.store()
    defer { store.end() }
    try store.prepare()
    let objects = try await ChildProcess("cat", [Product.source("Tests/Homes/\(row.testDescription)/objects")]).run()
    for line in objects.text.split(separator: "\n") {
      let words = line.split(separator: " ")
      try #require(words.count == 2)
      let bytes = try await ChildProcess("base64", ["-d"], input: String(words[1])).run().standardOutput
      #expect(try store.swap(String(words[0]), bytes, nil) != nil)
    }
  }
}
