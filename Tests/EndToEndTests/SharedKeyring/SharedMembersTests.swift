import AcctTestSupport
import StrictJSON
import Testing

/// Machines that come and go, on real engines.
@Suite("The machines of a shared keyring")
struct SharedMembersTests {
  @Test(
    "A machine joins by a code, and once it is removed with --renew it opens nothing, and all that it has is spent",
    arguments: EngineKind.allCases
  )
  func removed(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importExpired()
    try await fleet.importExpired("user-2")
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name])
    let approved = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    #expect(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    let lost = newcomer.home
    for user in ["user-1", "user-2"] {
      let token = try await lost.acct("token", "-a", user, "--no-input")
      #expect(token.status == 0, "\(token.errorText)")
    }
    let name = try await fleet.homes[1].otherMachine()
    let before = try await fleet.server.counts()["refreshes"]
    let removed = try await fleet.homes[0].acct("keyring", "remove", name, "--renew", "--no-input")
    #expect(removed.status == 0, "\(removed.errorText)")
    let after = try await fleet.server.counts()
    #expect(after["refreshes"] == before.map { $0 + 2 })
    #expect(after["replays"] == 0)
    for words in [["refresh", "--force", "user-1"], ["keyring", "machines"]] {
      let refused = try await lost.command(words + ["--no-input"]).run()
      #expect(refused.status == 6, "\(words): \(refused.errorText)")
      #expect(refused.errorText.contains("removed from the shared keyring by"), "\(refused.errorText)")
    }
    // What it has of its own is still shown, as where the engine is away.
    let listed = try await lost.acct("list", "--no-input")
    #expect(listed.status == 0, "\(listed.errorText)")
    for user in ["user-1", "user-2"] { #expect(listed.text.contains(user), "\(listed.text)") }
    #expect(listed.errorText.contains("removed from the shared keyring by"), "\(listed.errorText)")
    #expect(try await fleet.server.counts()["refreshes"] == after["refreshes"])
    for home in fleet.homes {
      let token = try await home.acct("token", "-a", "user-1", "--no-input")
      #expect(token.status == 0, "\(token.errorText)")
    }
    #expect(try await fleet.server.counts()["replays"] == 0)
    print("\(kind.rawValue): joined by code, removed, 2 renewed, 0 replays")
  }

  @Test(
    "What a machine kept when it was removed opens no object that lies on the engine then, and what it puts there is noticed",
    arguments: EngineKind.allCases
  )
  func kept(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    for user in ["user-1", "user-2"] { try await fleet.importExpired(user) }
    for user in ["user-1", "user-2"] {
      let token = try await fleet.token(of: user, on: 1).run()
      #expect(token.status == 0, "\(token.errorText)")
    }
    let kept = try KeyHolder(of: fleet)
    let header = try kept.engine.header()
    let id = try #require(try await fleet.homes[0].accounts().first?["id"]?.stringValue)
    let contents = try kept.contents(id)
    #expect(try kept.objects().opened == kept.objects().all)
    let newKey = try fleet.folder.file("new-key", containing: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    func acct(_ words: String...) async throws -> ChildProcess.Output {
      var command = fleet.homes[0].command(words + ["--no-input"])
      command.environment["ACCT_VAULT_KEY_FILE"] = newKey
      return try await command.run()
    }
    let name = try await fleet.homes[0].otherMachine()
    let remove = ["keyring", "remove", name, "--no-input"]
    #expect(try await fleet.homes[0].command(remove).run().status == 64)
    let removed = try await fleet.homes[0].command(remove + ["--new-key-file", newKey]).run()
    #expect(removed.status == 0, "\(removed.errorText)")
    let renewed = try await acct("refresh", "--all", "--force")
    #expect(renewed.status == 0, "\(renewed.errorText)")
    let (all, opened) = try kept.objects()
    #expect(all.count == 4 && opened.isEmpty)
    let before = try await fleet.server.counts()["refreshes"]
    // Everything that it can write: an account of its own making, and the header of before.
    let real = try kept.engine.object(id)
    try kept.plant(contents, id)
    #expect(try await acct("refresh", "--force", id).status == 65)
    try kept.engine.put(real, id)
    let current = try kept.engine.header()
    try kept.engine.put(header: header)
    #expect(try await acct("refresh", "--force", id).status == 7)
    try kept.engine.put(header: current)
    let counts = try await fleet.server.counts()
    #expect(counts["refreshes"] == before)
    #expect(counts["replays"] == 0)
    print("\(kind.rawValue): \(all.count) objects, \(opened.count) of them open to the removed machine; 0 replays")
  }

  @Test(
    "A key file that a machine has planted before its removal is asked about, and opens nothing that is added afterwards",
    arguments: EngineKind.allCases
  )
  func planted(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 2)
    try await fleet.importExpired()
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name])
    #expect(try await fleet.homes[0].acct("keyring", "approve", newcomer.code).status == 0)
    try await newcomer.joined()
    let machine = try await fleet.homes[0].otherMachine()
    let planted = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    let engine = try EngineOperator(of: fleet)
    try engine.plant(keyFile: planted, by: fleet.key)
    func acct(_ words: String...) async throws -> ChildProcess.Output {
      try await fleet.homes[0].command(["keyring"] + words + ["--no-input"]).run()
    }
    #expect(try await acct("status").text.contains("keyfile-2; see"))
    #expect(try await acct("machines").text.contains("keyfile-2"))
    for words in [["remove", machine], ["rekey"]] {
      let asked = try await fleet.homes[0].command(["keyring"] + words + ["--no-input"]).run()
      #expect(asked.status == 4, "\(asked.errorText)")
      #expect(asked.errorText.contains("keyfile-2"), "\(asked.errorText)")
    }
    #expect(try engine.opens(by: planted))
    let removed = try await acct("remove", machine, "--drop", "keyfile-2")
    #expect(removed.status == 0, "\(removed.errorText)")
    #expect(try !engine.opens(by: planted))
    try await fleet.importExpired("user-2")
    var command = newcomer.home.command(["token", "-a", "user-2", "--no-input"])
    command.environment["ACCT_VAULT_KEY_FILE"] = try fleet.folder.file("planted", containing: planted)
    let read = try await command.run()
    #expect(read.status == 6, "\(read.errorText)")
    // Asked once.
    #expect(try await acct("rekey").status == 0)
    print("\(kind.rawValue): a planted key file, asked about, dropped; 0 objects open to it")
  }

  @Test("A key that changes ten times while machines renew loses no session", arguments: EngineKind.allCases)
  func renewing(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 3, ["dpop": "off", "keep_alive": false, "lifetime": 1])
    try await fleet.importExpired()
    try await withThrowingTaskGroup { group in
      for home in fleet.homes {
        group.addTask {
          for _ in 0..<12 {
            let renewed = try await home.acct("refresh", "--force", "user-1", "--no-input")
            // Three machines force renewals of one account, and its object changes with the key as well.
            let isBusy = renewed.status == 7 && renewed.errorText.contains("keeps changing")
            #expect(renewed.status == 0 || isBusy, "\(renewed.errorText)")
          }
        }
      }
      group.addTask {
        for _ in 0..<10 {
          let rekeyed = try await fleet.homes[0].acct("keyring", "rekey", "--no-input")
          #expect(rekeyed.status == 0, "\(rekeyed.errorText)")
        }
      }
      try await group.waitForAll()
    }
    let counts = try await fleet.server.counts()
    #expect(counts["replays"] == 0)
    print("\(kind.rawValue): 10 changes of the key beside \(counts["refreshes"] ?? 0) renewals, 0 replays")
  }
}
