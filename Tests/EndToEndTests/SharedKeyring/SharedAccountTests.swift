import AcctTestSupport
import StrictJSON
import Testing

/// What one machine does with an account, as the others see it.
@Suite("Accounts on several machines")
struct SharedAccountTests {
  @Test("An account that one machine adds, changes and removes is so on the others", arguments: EngineKind.allCases)
  func lifeOfAnAccount(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    let (here, there) = (fleet.homes[0], fleet.homes[1])
    let added = try await here.importing(try await fleet.server.issue(["sub": "user-1"]))
    try #require(added.status == 0, "\(added.errorText)")
    let name = try #require(try await here.accounts().first?["name"]?.stringValue)

    // It is known there by its name, without any command between.
    let token = try await there.acct("token", "-a", name)
    #expect(token.status == 0, "\(token.errorText)")
    #expect(try await token.text == here.acct("token", "-a", name).text)
    let renamed = try await there.acct("rename", name, "other")
    #expect(renamed.status == 0, "\(renamed.errorText)")
    #expect(try await here.accounts().map { $0["name"] } == ["other"])
    #expect(try await there.acct("allow", "other", "https://more.example").status == 0)
    let status = try await here.acct("status", "other", "--json")
    #expect(status.status == 0, "\(status.errorText)")

    // A name is one account's on all machines.
    let second = try await fleet.server.issue(["sub": "user-2"])
    let taken = try await there.command(["add", "--import", "-", "--name", "other", "--no-input"], input: second).run()
    #expect(taken.status != 0)
    #expect(try await here.accounts().count == 1)

    let removed = try await there.acct("remove", "other")
    #expect(removed.status == 0, "\(removed.errorText)")
    let gone = try await here.acct("refresh", "--force", "other")
    #expect(gone.status == 5, "\(gone.errorText)")
    #expect(try await here.accounts().isEmpty)
    #expect(try await here.files().filter { $0.hasPrefix("data/accounts/") } == [])
  }

  @Test("A renewal on one machine is what the others print, and they ask no server", arguments: EngineKind.allCases)
  func renewal(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    try await fleet.importExpired()
    var tokens: Set<String> = []
    for number in fleet.homes.indices {
      let token = try await fleet.token(on: number).run()
      #expect(token.status == 0, "\(token.errorText)")
      tokens.insert(token.text)
    }
    #expect(tokens.count == 1)
    try await fleet.expect(refreshes: 1)
    try await fleet.server.expectNothingWrong()
  }

  @Test(
    "A forced renewal on each machine in turn asks the server, with the tokens of the one before",
    arguments: EngineKind.allCases
  )
  func forcedRenewals(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    var tokens: Set<String> = []
    for (number, home) in (fleet.homes + fleet.homes).enumerated() {
      let renewed = try await home.acct("refresh", "--force", "user-1")
      #expect(renewed.status == 0, "\(renewed.errorText)")
      tokens.insert(try await home.acct("token", "-a", "user-1").text)
      try await fleet.expect(refreshes: Int64(number) + 1)
    }
    #expect(tokens.count == 4)
    try await fleet.server.expectNothingWrong()
  }

  @Test("Accounts move to a shared keyring and back, and each is used where it is", arguments: EngineKind.allCases)
  func move(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    let home = try AcctHome()
    try await home.importExpired(from: fleet.server, ["expires_in": 3600])
    let token = try await home.acct("token").text
    let keyFile = "\(fleet.folder.path)/key"
    func acct(_ arguments: [String]) async throws -> ChildProcess.Output {
      var command = home.command(arguments)
      command.environment["ACCT_KEYRING"] = nil
      command.environment["ACCT_VAULT_KEY_FILE"] = keyFile
      return try await command.run()
    }
    let place = fleet.engine.place + ["--name", fleet.name]
    for arguments in [["keyring", "join"] + place, ["keyring", "move", kind.rawValue]] {
      let done = try await acct(arguments)
      try #require(done.status == 0, "\(arguments): \(done.errorText)")
    }
    let names = try await fleet.homes[1].accounts().compactMap { $0["name"]?.stringValue }
    try #require(names.count == 1)
    #expect(try await fleet.homes[1].acct("token", "-a", names[0]).text == token)
    #expect(try await home.files().filter { $0.hasPrefix("data/vault/oauth.") } == [])
    #expect(try await acct(["token"]).text == token)
  }

  @Test(
    "A wrong key, another authority and a missing certificate or password open nothing",
    arguments: EngineKind.allCases
  )
  func strangers(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    let place = fleet.engine.place
    let other = try await MadeUpAuthority()
    let wrongKey = try fleet.folder.file("wrong-key", containing: String(repeating: "k", count: 32))
    let shortKey = try fleet.folder.file("short-key", containing: "short")
    let rightKey = "\(fleet.folder.path)/key"
    let foreign = place.map { word in word.replacing(fleet.engine.authority.certificate, with: other.certificate) }
    let stranger = fleet.engine.placeOfStranger
    for (what, keyFile, place, status) in [
      ("wrong key", wrongKey, place, Int32(6)), ("short key", shortKey, place, 6),
      ("another authority", rightKey, foreign, 7), ("let in by nothing", rightKey, stranger, 7),
      ("right", rightKey, place, 0),
    ] {
      let home = try AcctHome(sharingUnder: keyFile)
      let joined = try await home.command(["keyring", "join"] + place + ["--name", fleet.name, "--no-input"]).run()
      #expect(joined.status == status, "\(what): \(joined.errorText)")
      if status != 0 { #expect(joined.errorText.contains("hint: "), "\(what)") }
    }
  }
}
