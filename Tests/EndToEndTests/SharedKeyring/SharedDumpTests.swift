import AcctTestSupport
import StrictJSON
import Testing

/// What the engine has to see of accounts: nothing but identifiers, sizes and times.
@Suite("What an engine sees")
struct SharedDumpTests {
  @Test(
    "An engine's data holds no secret, name or host of an account and no machine's name, and a home no secret, the key of a machine that joined by a code included",
    arguments: EngineKind.allCases
  )
  func dump(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2, ["lifetime": 60])
    // One that has a key of its own instead of the keyring's key file.
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name])
    let approved = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    try #require(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    let homes = fleet.homes + [newcomer.home]
    var secrets = GivenSecrets()
    secrets.add("machine_key", try await newcomer.privateKey())
    try await fleet.importing(["sub": "user-1", "dpop": true, "expires_in": -10])
    for home in homes {
      let header = try await home.acct("header", "-a", "user-1", "\(fleet.server.resource)/resource")
      try #require(header.status == 0, "\(header.errorText)")
      let refreshed = try await home.acct("refresh", "--force", "user-1")
      try #require(refreshed.status == 0, "\(refreshed.errorText)")
      let shown = try await home.acct("key", "show", "--private", "user-1")
      let key = try JSON(parsing: shown.standardOutput).objectValue?["d"]?.stringValue
      secrets.add("key", try #require(key))
    }
    // One with names that stand nowhere else in this test.
    let added = try await fleet.homes[0].importing(Self.credentials)
    try #require(added.status == 0, "\(added.errorText)")
    let allowed = try await fleet.homes[0].acct("allow", Self.handle, "https://\(Self.host)")
    try #require(allowed.status == 0, "\(allowed.errorText)")
    let listed = try await fleet.homes[1].acct("list")
    #expect(listed.text.contains(Self.handle), "\(listed.errorText)")
    let token = try await fleet.homes[1].acct("token", "-a", Self.handle)
    #expect(token.text == "\(Self.token)\n", "\(token.errorText)")

    secrets.add(try await fleet.server.secrets())
    secrets.add("access_token", Self.token)
    #expect(secrets.count(of: "refresh_token") >= 3)
    #expect(secrets.count(of: "access_token") >= 3)
    var hidden = secrets
    for name in [Self.handle, Self.host, "issuer.of.this.example"] { hidden.add("name", name) }
    // The machines' names are in the histories, which each of them can read.
    let log = try await fleet.homes[1].acct("log")
    for machine in homes.compactMap(\.machine?.hostName) {
      #expect(log.text.contains(machine), "\(log.text)\(log.errorText)")
      hidden.add("name", machine)
    }
    #expect(hidden.count(of: "name") == 6)
    let ids = try await fleet.homes[0].accounts().compactMap { $0["id"]?.stringValue }
    // The trace of an account that is gone has its name and events, sealed.
    let removed = try await newcomer.home.acct("remove", "--local", "user-1")
    #expect(removed.status == 0, "\(removed.errorText)")
    for home in homes {
      let log = try await home.acct("log", "user-1")
      #expect(log.text.contains("removed"), "\(log.text)\(log.errorText)")
    }
    let dump = try fleet.folder.file("dump", containing: try await fleet.engine.dump())
    // The account is there, or nothing would be shown.
    for id in ids { #expect(try await finds(id, in: [dump]), "\(id)") }
    #expect(try await hidden.places(in: [dump] + fleet.engine.folders) == "")
    // On its own machine an account's name is no secret.
    #expect(try await secrets.places(in: homes.map(\.path)) == "")
    print("\(kind.rawValue), dump: \(ids.count) accounts, no secret, no machine's key or name, no name, no host")
  }

  private func finds(_ text: String, in files: [String]) async throws -> Bool {
    try await ChildProcess("grep", ["-qaF", text] + files).run().status == 0
  }

  private static let handle = "unlikely-handle.of.this.example"
  private static let host = "unlikely-host.of.this.example"
  private static let token = "made-up-token-that-nothing-else-has"
  private static let credentials = """
    {"access_token":"\(token)","token_type":"Bearer","expires_in":3600,
     "handle":"\(handle)","issuer":"https://issuer.of.this.example"}
    """
}

extension GivenSecrets {
  /// The secrets that lie in files, or in files of folders, in any form: a line each.
  func places(in paths: [String]) async throws -> String {
    let folder = try TemporaryFolder()
    let known = try folder.file("secrets", containing: json.serialized())
    let script = Product.source("Tests/Leaks/in_files.py")
    let found = try await ChildProcess(Sighting.python, ["-B", script, known] + paths).run(limit: .seconds(300))
    try #require(found.status == 0, "\(found.errorText)")
    return found.text
  }
}
