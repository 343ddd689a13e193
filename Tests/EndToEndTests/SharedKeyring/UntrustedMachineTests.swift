import AcctModel
import Secrets
import AcctTestSupport
import SharedKeyring
import StrictJSON
import Testing

/// What a machine of the fleet can do to another one, with the keyring's key.
@Suite("A shared keyring with a hostile machine")
struct UntrustedMachineTests {
  private static let module = "/usr/lib/softhsm/libsofthsm2.so"

  @Test(
    "A planted key in a device stops a move out of the keyring, and its module is loaded nowhere",
    arguments: EngineKind.allCases
  )
  func plantedModule(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1, ["keep_alive": false])
    try await fleet.importing(["sub": "user-1", "dpop": true, "expires_in": 3600])
    try await fleet.importing(["sub": "user-2", "dpop": true, "expires_in": 3600])
    let holder = try KeyHolder(of: fleet)
    defer { holder.engine.end() }
    let home = try await withVault(fleet)
    let accounts = try await home.accounts()
    let planted = try #require(accounts.first { $0["name"] == "user-1" }?["id"]?.stringValue)
    var contents = try holder.contents(planted)
    let item = try #require(contents.items["dpop.keypair.*"])
    let parsed = try item.withBytes { try JSON(parsing: $0) }
    var key = try #require(parsed.objectValue)
    key["d"] = nil
    key["acct_key"] = "pkcs11"
    key["uri"] = .string("pkcs11:token=t;object=o?module-path=\(Self.module)")
    contents.items["dpop.keypair.*"] = Secret(JSON.object(key).serialized())
    try holder.plant(contents, planted)

    let url = fleet.server.resource
    for words in [
      ["list"], ["refresh", "--force", "user-1"], ["keyring", "move", "vault"], ["header", url, "-a", "user-1"],
    ] {
      let trace = "\(fleet.folder.path)/trace"
      var command = home.command(words + ["--no-input"])
      command = command.traced("-f", "-e", "trace=openat", "-o", trace)
      let done = try await command.run()
      if words[1...] == ["move", "vault"] {
        #expect(done.status == 65, "\(done.errorText)")
        #expect(done.errorText.contains("user-1"), "\(done.errorText)")
      }
      let opened = try await ChildProcess("cat", [trace]).run().text
      #expect(!opened.contains(Self.module), "\(words)")
    }
    // Nothing was lost by it.
    #expect(try await home.accounts().count == 2)
    #expect(try await home.acct("header", url, "-a", "user-2").status == 0)
  }

  /// One more machine of a fleet, which can also have a vault.
  private func withVault(_ fleet: Fleet) async throws -> AcctHome {
    let passphrase = try fleet.folder.file("passphrase", containing: "made up for this test\n")
    let home = try AcctHome(sharingUnder: "\(fleet.folder.path)/key", with: ["ACCT_VAULT_PASSPHRASE_FILE": passphrase])
    let place = fleet.engine.place + ["--name", fleet.name, "--no-input"]
    let joined = try await home.command(["keyring", "join"] + place).run()
    try #require(joined.status == 0, "\(joined.errorText)")
    return home
  }

  @Test(
    "A planted record reaches no account of one machine, and its token goes to no stranger",
    arguments: EngineKind.allCases
  )
  func plantedRecord(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    let stranger = try await StrictServer(["dpop": "off", "keep_alive": false])
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let home = try await withVault(fleet)
    var adding = home.command(
      ["add", "--import", "-", "--name", "mine", "--no-input"],
      input: try await fleet.server.issue(["sub": "mine", "expires_in": 3600])
    )
    adding.environment["ACCT_KEYRING"] = "vault"
    let added = try await adding.run()
    try #require(added.status == 0, "\(added.errorText)")
    let accounts = try await home.accounts()
    let mine = try #require(accounts.first { $0["name"] == "mine" }?["id"]?.stringValue)
    let shared = try #require(accounts.first { $0["name"] == "user-1" }?["id"]?.stringValue)

    let holder = try KeyHolder(of: fleet)
    defer { holder.engine.end() }
    let planted = "0badc0de-0000-4000-8000-000000000001"
    var contents = try holder.contents(shared).changing { record in
      record["id"] = .string(planted)
      record["name"] = "planted"
      record["issuer"] = .string(stranger.issuer)
      record["expiresAt"] = "2020-01-01T00:00:00Z"
      record["keptIn"] = "vault"
      record["incoming"] = ["place": .string(mine), "isWhole": true]
    }
    contents.name = try AccountName("planted")
    try holder.plant(contents, planted)

    _ = try await home.acct("list")
    _ = try await home.acct("refresh", "--all", "--force")
    #expect(try await stranger.requests(to: "token").isEmpty)
    #expect(try await home.acct("token", "-a", "mine").status == 0)
    #expect(try await !home.accounts().contains { $0["name"] == "planted" })
    let doctor = try await home.acct("doctor", "--json")
    #expect((doctor.text + doctor.errorText).contains(planted))
  }

  @Test(
    "The doctor names an account that is damaged beneath its seal, or has the name of another",
    arguments: EngineKind.allCases
  )
  func damagedContents(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let holder = try KeyHolder(of: fleet)
    defer { holder.engine.end() }
    let home = fleet.homes[0]
    let contents = try holder.contents(try await home.accountID())
    let ids = (1...5).map { "0badc0de-0000-4000-8000-00000000000\($0)" }
    // Twice the name of the first account, a record of another place, an item with a line break, a guest, rubbish.
    try holder.plant(try contents.changing { $0["id"] = .string(ids[0]) }, ids[0])
    try holder.plant(contents, ids[1])
    var broken = try contents.changing { record in
      record["id"] = .string(ids[2])
      record["name"] = "broken"
    }
    broken.name = try AccountName("broken")
    broken.items["oauth.*.accessToken"] = Secret("a\r\nX-Injected: b")
    try holder.plant(broken, ids[2])
    var guest = try contents.changing { record in
      record["id"] = .string(ids[3])
      record["name"] = "guest"
      record["kind"] = "guest"
      record["tokenType"] = "guest"
    }
    guest.name = try AccountName("guest")
    try holder.plant(guest, ids[3])
    // A name that does not parse: its tag, its length, and a blank.
    try holder.plant(bytes: [1, 0, 0, 0, 1, 0x20, 2, 0, 0, 0, 2, 0x7B, 0x7D], ids[4])

    #expect(try await home.accounts().map { $0["name"] } == ["user-1"])
    let doctor = try await home.acct("doctor", "--json")
    #expect(try await home.accounts().map { $0["name"] } == ["user-1"])
    for id in ids {
      #expect((doctor.text + doctor.errorText).contains(id), "\(id): \(doctor.text)")
    }
    for id in ids {
      let removed = try await home.acct("remove", id, "--local")
      #expect(removed.status == 0, "\(removed.errorText)")
    }
    #expect(try await home.acct("token", "-a", "user-1").status == 0)
    let repaired = try await home.acct("doctor", "--json")
    for id in ids { #expect(!(repaired.text + repaired.errorText).contains(id)) }
  }
}
