import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import SharedKeyring
import Testing

@Suite("What an engine has of a shared keyring")
struct SecrecyTests {
  let fleet: Fleet
  let here: TestMachine

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
  }

  private func key(_ id: AccountID) -> String { "/acct/main/a/\(id)" }

  @Test("Nothing of an account can be read in what the engine is given, or in the copies")
  func noMarker() async throws {
    let accounts = try here.accounts()
    let account = try Made.account(Made.alice, named: "marker-name", token: "marker-token")
    try accounts.store(account, .forbidden)
    _ = try #require(await accounts.claim(Made.intent(named: "marker-name"), .forbidden))
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) {
      try accounts.store(Made.renewed(named: "marker-name", token: "marker-new"), .forbidden)
    }
    let (values, keys) = fleet.engine.seen
    var places = values + keys.map { Array($0.utf8) }
    for folder in [here.folder, here.folder.subfolder("pending"), here.sightings] {
      for name in try folder.names() where name != "pending" {
        places.append(try #require(try folder.read(name, limit: 1 << 22)))
      }
    }
    #expect(places.count > 5)
    for place in places {
      let text = String(decoding: place, as: UTF8.self)
      for marker in ["marker", "in flight", "refreshToken", "boot of"]
      where text.contains(marker) {
        // A pending answer says which process of this machine had it.
        #expect(marker == "boot of" && text.hasPrefix("acct-pending"), "\(marker) in \(text)")
      }
    }
  }

  @Test("Each write of the same contents is different ciphertext")
  func nonces() throws {
    try here.accounts().store(Made.account(), .forbidden)
    let first = try #require(fleet.engine.objects[key(Made.alice)])
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    let second = try #require(fleet.engine.objects[key(Made.alice)])
    #expect(first.bytes.count == second.bytes.count)
    #expect(first.bytes != second.bytes)
  }

  @Test("An object in the place of another account's, or of another keyring's, does not open")
  func exchanged() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let alices = try #require(fleet.engine.objects[key(Made.alice)])
    fleet.engine.put(alices.bytes, at: key(Made.bob))
    #expect(throws: KeyringFailure.damagedAccount(Made.bob, .modified)) {
      try here.accounts().fetch(Made.bob, .forbidden)
    }
    // The copy is not given up for it.
    #expect(try await here.item(.refreshToken, of: Made.bob) == Secret("R0"))

    let other = SharedKeyringSettings(engine: Fleet.settings.engine, name: "other")
    let there = try fleet.machine(apart: "there")
    try there.vault().sharedKeyring.create(other, .forbidden)
    fleet.engine.put(alices.bytes, at: "/acct/other/a/\(Made.alice)")
    #expect(throws: KeyringFailure.self) { try there.accounts().fetch(Made.alice, .forbidden) }
  }

  @Test(
    "An object with hostile bytes is an error of its account alone, and nothing is lost by it",
    arguments: [[], [0], Array("acct-shared".utf8), [UInt8](repeating: 0xFF, count: 4096)]
  )
  func hostile(bytes: [UInt8]) async throws {
    try here.accounts().store(Made.account(), .forbidden)
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let there = try fleet.machine("there")
    fleet.engine.put(bytes, at: key(Made.alice))
    let changes = try there.accounts().fetchAll(.forbidden)
    #expect(changes.records == [Made.bob: Made.record("bob")])
    #expect(changes.accounts == [Made.alice, Made.bob])
    #expect(throws: KeyringFailure.self) { try here.accounts().fetch(Made.alice, .forbidden) }
    await #expect(throws: KeyringFailure.self) { try await there.item(.refreshToken, of: Made.alice) }
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    #expect(throws: SharedAccountFailure.self) { try here.accounts().store(Made.renewed(token: "R1"), .forbidden) }
    #expect(fleet.engine.objects[key(Made.alice)]?.bytes == bytes)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.bob])
  }
}
