import AcctTestSupport
import StrictJSON
import Testing

/// What an engine's operator can do without the keyring's key.
@Suite("A shared keyring whose engine lies")
struct UntrustedEngineTests {
  @Test("A refresh token that is put back after it was spent is not sent again", arguments: EngineKind.allCases)
  func spentToken(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importExpired()
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let id = try await fleet.homes[0].accountID()
    let before = try engine.object(id)
    let renewed = try await fleet.token(on: 0).run()
    try #require(renewed.status == 0, "\(renewed.errorText)")
    _ = try await fleet.homes[1].accounts()

    try engine.put(before, id)
    for home in fleet.homes {
      let refused = try await home.acct("refresh", "--force", "user-1")
      #expect(refused.status == 7, "\(refused.errorText)")
      #expect(refused.errorText.contains("acct keyring trust"))
      // A good token of this machine's own copy is used.
      #expect(try await home.acct("token", "-a", "user-1").text == renewed.text)
    }
    try await fleet.expect(refreshes: 1)

    // The operator's state is used once a person has accepted it.
    let trusted = try await fleet.homes[0].acct("keyring", "trust", "--no-input")
    #expect(trusted.status == 0, "\(trusted.errorText)")
  }

  @Test("A revoked origin that is put back gets nothing", arguments: EngineKind.allCases)
  func revokedOrigin(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let (here, there) = (fleet.homes[0], fleet.homes[1])
    let id = try await here.accountID()
    let origin = "https://more.example"
    #expect(try await here.acct("allow", "user-1", origin).status == 0)
    _ = try await there.accounts()
    #expect(try await there.acct("header", origin, "-a", "user-1").status == 0)
    let before = try engine.object(id)
    #expect(try await here.acct("allow", "user-1", origin, "--revoke").status == 0)
    _ = try await there.accounts()

    try engine.put(before, id)
    for home in fleet.homes {
      _ = try await home.acct("list", "--json")
      let refused = try await home.acct("header", origin, "-a", "user-1")
      #expect(refused.status == 8, "\(refused.errorText)")
      let doctor = try await home.acct("doctor")
      #expect(doctor.status != 0)
      #expect((doctor.text + doctor.errorText).contains("older than this machine has seen them"))
    }

    // Who trusts the engine is told what comes back, and has it at once; the other machine does not.
    let trusted = try await here.acct("keyring", "trust", "--no-input")
    #expect(trusted.status == 0, "\(trusted.errorText)")
    #expect(trusted.errorText.contains("user-1 is allowed at \(origin) now"), "\(trusted.errorText)")
    let allowed = try await here.acct("header", origin, "-a", "user-1")
    #expect(allowed.status == 0, "\(allowed.errorText)")
    #expect(try await here.acct("keyring").status == 0)
    #expect(try await there.acct("header", origin, "-a", "user-1").status == 8)
    #expect(try await here.acct("allow", "user-1", origin, "--revoke").status == 0)
  }

  @Test(
    "A header that is empty, rubbish or cut is 7 in keyring, doctor and a renewal at once",
    arguments: EngineKind.allCases
  )
  func damagedHeader(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let home = fleet.homes[0]
    let header = try engine.header()
    for bytes in [[], Array("rubbish".utf8), Array(header.dropLast(9))] {
      try engine.put(header: bytes)
      for words in [
        ["keyring"], ["keyring", "status", "--json"], ["refresh", "--force", "user-1"], ["keyring", "machines"],
      ] {
        let output = try await home.command(words + ["--no-input"]).run()
        #expect(output.status == 7, "\(words): \(output.text) \(output.errorText)")
        let said = output.text + output.errorText
        #expect(said.contains("the shared keyring is damaged: "), "\(words): \(said)")
        #expect(said.contains("acct keyring trust"), "\(words): \(said)")
      }
      let doctor = try await home.acct("doctor")
      #expect(doctor.status != 0)
      #expect((doctor.text + doctor.errorText).contains("the shared keyring is damaged: "))
      #expect(try await home.acct("token", "-a", "user-1").status == 0)
    }
    try engine.put(header: header)
    let keyring = try await home.acct("keyring")
    #expect(keyring.status == 0, "\(keyring.text)")
    try await fleet.expect(refreshes: 0)
  }

  @Test("A removed account that is put back stays removed", arguments: EngineKind.allCases)
  func removedAccount(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let (here, there) = (fleet.homes[0], fleet.homes[1])
    let id = try await here.accountID()
    let before = try engine.object(id)
    #expect(try await here.acct("remove", "user-1", "--local").status == 0)
    #expect(try await there.accounts().isEmpty)

    for bytes in [before, nil, before] {
      try engine.put(bytes, id)
      for home in fleet.homes {
        let listed = try await home.acct("list", "--json")
        #expect(!listed.text.contains("user-1"), "\(listed.text)")
        let token = try await home.acct("token", "-a", "user-1")
        #expect([5, 7].contains(token.status), "\(token.status): \(token.errorText)")
      }
    }
    // The name is free, and so is the place for the same account.
    let added = try await here.importing(try await fleet.server.issue(["sub": "user-1"]))
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await there.accounts().count == 1)
  }

  @Test(
    "An account whose object is deleted without a trace stays usable, and is not renewed",
    arguments: EngineKind.allCases
  )
  func deletedObject(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let home = fleet.homes[0]
    let token = try await home.acct("token", "-a", "user-1").text
    try engine.put(nil, try await home.accountID())
    #expect(try await home.accounts().count == 1)
    #expect(try await home.acct("token", "-a", "user-1").text == token)
    let refused = try await home.acct("refresh", "--force", "user-1")
    #expect(refused.status == 7, "\(refused.errorText)")
    try await fleet.expect(refreshes: 0)
    // Who removes it means it.
    #expect(try await home.acct("remove", "user-1", "--local").status == 0)
    #expect(try await home.accounts().isEmpty)
  }

  @Test("Rows of any size cost a command little memory", arguments: [(1, 100 << 20), (300, 1 << 20)])
  func largeRows(count: Int, bytes: Int) async throws {
    let engine = try await PostgresEngine()
    let fleet = try await Fleet(on: .postgres, engine, machines: 1)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let insertion = """
      INSERT INTO acct_objects SELECT '/acct/\(fleet.name)/a/' || gen_random_uuid(), 2,
        decode(repeat('ab', \(bytes)), 'hex') FROM generate_series(1, \(count));
      UPDATE acct_objects SET version = (SELECT revision FROM acct_store)
      """
    _ = try await engine.server.psql(insertion, database: "acct")
    let peak = "\(fleet.folder.path)/peak"
    for words in [["list"], ["refresh", "--force", "user-1"]] {
      let command = fleet.homes[0].command(words + ["--no-input"])
      _ = try await command.run(by: ["/usr/bin/time", "-f", "%M", "-o", peak]).run()
      // The last line; one before it tells of a status.
      let told = try await ChildProcess("tail", ["-n", "1", peak]).run().text
      let kibibytes = try #require(Int(told.prefix { $0 != "\n" }))
      #expect(kibibytes < 128 << 10, "\(words)")
    }
  }

  @Test(
    "The doctor names each object that is spliced, cut short or rubbish, and the others are used",
    arguments: EngineKind.allCases
  )
  func damagedObjects(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    for subject in ["spliced", "cut", "rubbish", "sound"] {
      try await fleet.importing(["sub": .string(subject), "expires_in": 3600])
    }
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let home = fleet.homes[0]
    var ids: [String: String] = [:]
    for account in try await home.accounts() { ids[account["name"]?.stringValue ?? ""] = account["id"]?.stringValue }
    let spliced = try #require(ids["spliced"])
    let cut = try #require(ids["cut"])
    let rubbish = try #require(ids["rubbish"])
    try engine.put(try engine.object(try #require(ids["sound"])), spliced)
    try engine.put(Array(try engine.object(cut).dropLast(20)), cut)
    try engine.put(Array("rubbish".utf8), rubbish)
    try engine.put(Array("rubbish".utf8), at: "\(engine.root)a/no-identifier")

    let doctor = try await home.acct("doctor", "--json")
    let findings = doctor.text + doctor.errorText
    for name in [spliced, cut, rubbish, "no-identifier"] {
      #expect(findings.contains("\(name)"), "\(name): \(findings)")
    }
    #expect(try await home.acct("token", "-a", "sound").status == 0)
    let refused = try await home.acct("refresh", "--force", "spliced")
    #expect(refused.status == 65, "\(refused.errorText)")
    for id in [spliced, cut, rubbish] {
      let removed = try await home.acct("remove", id, "--local")
      #expect(removed.status == 0, "\(removed.errorText)")
    }
    #expect(try await home.accounts().map { $0["name"] } == ["sound"])
  }
}
