import AcctPorts
import AcctTestSupport
import FleetPorts
import StrictJSON
import Testing

/// A keyring as acct made it when its key was one for ever: an engine with the header of before.
@Suite("A shared keyring of the former form on a real engine")
struct FormerFormTests {
  @Test(
    "Under a passphrase it is used as before, gets the new form by `rekey`, and then lets a machine in and out",
    arguments: EngineKind.allCases
  )
  func raised(_ kind: EngineKind) async throws {
    let former = try await FormerKeyring(on: kind)
    let (one, two) = (try await former.machine(), try await former.machine())
    // It sees the change from afar.
    let sleeper = try await former.machine()
    let server = former.server
    let credentials = try await server.issue(["sub": "user-1", "expires_in": -10])
    let added = try await one.importing(credentials)
    #expect(added.status == 0, "\(added.errorText)")
    let name = try #require(try await two.accounts().first?["name"]?.stringValue)
    _ = try await sleeper.accounts()
    let used = try await two.acct("token", "-a", name, "--no-input")
    #expect(TokenText(in: used.text)?.subject == "user-1", "\(used.errorText)")
    let machines = try await one.acct("keyring", "machines", "--no-input")
    #expect(machines.status != 0 && machines.errorText.contains("rekey"), "\(machines.errorText)")
    #expect(try former.epochs() == [nil])

    let rekeyed = try await one.acct("keyring", "rekey", "--no-input")
    #expect(rekeyed.status == 0, "\(rekeyed.errorText)")
    #expect(try former.epochs() == [2])
    for home in [two, sleeper, one] { try await expectRenewed(name, by: home, at: server) }
    // Its name stays unique, by the key that it had.
    let again = try await two.command(
      ["add", "--import", "-", "--name", name, "--no-input"],
      input: try await server.issue(["sub": "user-2", "expires_in": 3600])
    ).run()
    #expect(again.status != 0 && again.errorText.contains(name), "\(again.errorText)")

    let listed = try await sleeper.acct("keyring", "machines", "--json", "--no-input")
    let found = try JSON(parsing: listed.standardOutput).objectValue?["machines"]?.arrayValue ?? []
    #expect(found.compactMap { $0.objectValue?["recipient"] } == ["passphrase", "passphrase", "passphrase"])
    let newcomer = try await Newcomer(to: former.place)
    let approved = try await two.acct("keyring", "approve", newcomer.code, "--no-input")
    #expect(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    try await expectRenewed(name, by: newcomer.home, at: server)
    let removed = try await one.acct("keyring", "remove", try await two.otherMachine(), "--no-input")
    #expect(removed.status == 0, "\(removed.errorText)")
    #expect(try former.epochs() == [3])
    let refused = try await newcomer.home.acct("refresh", "--force", name, "--no-input")
    #expect(refused.status == 6, "\(refused.errorText)")
    for home in [sleeper, two, one] { try await expectRenewed(name, by: home, at: server) }
    let counts = try await server.counts()
    #expect(counts["replays"] == 0)
    print("\(kind.rawValue): a former keyring raised, \(counts["refreshes"] ?? 0) renewals, 0 replays")
    former.end()
  }

  private func expectRenewed(
    _ name: String,
    by home: AcctHome,
    at server: StrictServer,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    // One that finds a newer token on the engine takes that.
    _ = try await home.accounts()
    let before = try await server.counts()["refreshes"]
    let renewed = try await home.acct("refresh", "--force", name, "--no-input")
    #expect(renewed.status == 0, "\(renewed.errorText)", sourceLocation: location)
    #expect(try await server.counts()["refreshes"] == before.map { $0 + 1 }, sourceLocation: location)
  }
}

/// A keyring that an earlier version of acct made under a passphrase.
private struct FormerKeyring {
  let server: StrictServer
  let place: [String]
  private let store: SharedStore
  private let root: String
  private let folder: TemporaryFolder

  init(on kind: EngineKind) async throws {
    let engine = try await kind.ofSuite()
    server = try await StrictServer(["dpop": "off", "keep_alive": false, "lifetime": 3600])
    folder = try TemporaryFolder()
    let name = "former-\(String(UInt32.random(in: .min ... .max), radix: 16))"
    place = engine.place + ["--name", name]
    root = "/acct/\(name)/"
    store = try engine.store()
    try store.prepare()
    _ = try #require(try store.swap("\(root)header", try CheapVault.header(under: Self.passphrase), nil))
  }

  private static let passphrase = "of all machines"

  /// One more machine that has joined it.
  func machine() async throws -> AcctHome {
    let file = try folder.file("passphrase", containing: "\(Self.passphrase)\n")
    let home = try AcctHome(
      sharingUnder: "",
      on: try await SeparateMachine(),
      with: ["ACCT_VAULT_PASSPHRASE_FILE": file]
    )
    let joined = try await home.command(["keyring", "join"] + place + ["--no-input"]).run()
    try #require(joined.status == 0, "\(joined.errorText)")
    return home
  }

  /// The numbers of the keys that sealed the objects; `nil` for the only key of before.
  func epochs() throws -> Set<Int64?> {
    let objects = try ["a/", "n/"].flatMap { try store.changes(root + $0, 0).objects }
    return Set(objects.map { KeyEpoch(of: $0.bytes)?.number })
  }

  func end() { store.end() }
}
