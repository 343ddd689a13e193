import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import PrivateFiles
import SharedKeyring
import Testing

@Suite("A keyring that two machines share")
struct SharingTests {
  let fleet: Fleet
  let (here, there): (TestMachine, TestMachine)

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
  }

  @Test("An account that one machine stores is fetched by the other, with its items")
  func storedAndFetched() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    let record = try there.accounts().fetch(Made.alice, .forbidden)
    #expect(record == Made.record("alice"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R0"))
    let changes = try there.accounts().fetchAll(.forbidden)
    // It came with the fetch, and is told until the caller has confirmed that its file is written.
    #expect(changes.records == [Made.alice: Made.record("alice")])
    #expect(changes.accounts == [Made.alice])
    changes.confirm()
    #expect(try there.accounts().fetchAll(.forbidden).records.isEmpty)
  }

  @Test("An account's items are read from this machine's copy while the engine is away")
  func copies() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    fleet.engine.fail(with: .unavailable(reason: "away"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R0"))
    #expect(try await there.keyring().list() == [Made.alice: [.refreshToken, .accessToken]])
    #expect(throws: KeyringFailure.engine(.unavailable(reason: "away"))) {
      try there.accounts().fetch(Made.alice, .forbidden)
    }
  }

  @Test("A read with a copy asks the engine nothing")
  func quietRead() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    let before = fleet.engine.calls
    #expect(try await here.item(.accessToken, of: Made.alice) == Secret("A-R0"))
    #expect(fleet.engine.calls == before)
  }

  @Test("A name belongs to one account of all machines until that is renamed or removed")
  func names() throws {
    try here.accounts().store(Made.account(), .forbidden)
    let rival = try Made.account(Made.bob)
    #expect(throws: SharedAccountFailure.nameTaken) { try there.accounts().store(rival, .forbidden) }
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    let renamed = SharedAccount(
      id: Made.alice,
      name: try Made.name("other"),
      record: Made.record("other"),
      items: .unchanged
    )
    try here.accounts().store(renamed, .forbidden)
    try there.accounts().store(rival, .forbidden)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    let third = AccountID(random: InlineArray(repeating: 3))
    try there.accounts().store(Made.account(third, named: "other"), .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.bob, third])
  }

  @Test("A name whose object is garbled is free")
  func garbledName() throws {
    let names = fleet.engine.objects.keys.filter { $0.hasPrefix("/acct/main/n/") }
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    try here.accounts().remove(Made.bob, nil, .forbidden)
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let place = try #require(fleet.engine.objects.keys.first { $0.hasPrefix("/acct/main/n/") && !names.contains($0) })
    try here.accounts().remove(Made.bob, nil, .forbidden)
    fleet.engine.put(Array("garbled".utf8), at: place)
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    #expect(try here.accounts().fetch(Made.bob, .forbidden) == Made.record("bob"))
  }

  @Test("A name that a killed process took for an account that was never stored is free")
  func abandonedName() throws {
    fleet.engine.interruptNextSwap { _ in
      fleet.engine.interruptNextSwap { _ in fleet.engine.fail(with: .unavailable(reason: "away")) }
    }
    #expect(throws: SharedAccountFailure.self) { try here.accounts().store(Made.account(), .forbidden) }
    fleet.engine.fail(with: nil)
    try there.accounts().store(Made.account(Made.bob), .forbidden)
    #expect(try there.accounts().fetchAll(.forbidden).accounts == [Made.bob])
  }

  @Test("An account that one machine removes is gone for the other, with its copy")
  func removal() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    let record = try there.accounts().fetch(Made.alice, .forbidden)
    #expect(record == nil)
    #expect(try there.folder.names().contains(Made.alice.description) == false)
    #expect(try await there.keyring().list() == [:])
    #expect(throws: SharedAccountFailure.removed) {
      try here.accounts().store(Made.account(), .forbidden)
      let other = try there.accounts()
      _ = try other.fetch(Made.alice, .forbidden)
      try here.accounts().remove(Made.alice, nil, .forbidden)
      try other.store(Made.renewed(token: "R1"), .forbidden)
    }
  }

  @Test("Another machine's change of an account comes with each fetch of all until it is confirmed")
  func changes() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let accounts = try there.accounts()
    let first = try accounts.fetchAll(.forbidden)
    #expect(first.records.count == 2)
    first.confirm()
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    let second = try accounts.fetchAll(.forbidden)
    #expect(second.records == [Made.alice: Made.record("alice")])
    second.confirm()
    #expect(try accounts.fetchAll(.forbidden).records == [:])
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("Two machines' changes to different members of one record are both kept")
  func mergedRecords() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    let renewing = try here.accounts()
    _ = try renewing.fetch(Made.alice, .forbidden)
    _ = try #require(await renewing.claim(Made.intent(), .forbidden))
    let renaming = try there.accounts()
    _ = try renaming.fetch(Made.alice, .forbidden)
    let renamed = SharedAccount(
      id: Made.alice,
      name: try Made.name("other"),
      record: Made.record("other", note: "in flight"),
      items: .unchanged
    )
    try renaming.store(renamed, .forbidden)
    try renewing.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == Made.record("other"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
    #expect(throws: SharedAccountFailure.nameTaken) {
      try here.accounts().store(Made.account(Made.bob, named: "other"), .forbidden)
    }
  }

  @Test("A change of the record alone gives way to what another machine has stored meanwhile")
  func repeatable() throws {
    try here.accounts().store(Made.account(), .forbidden)
    let (one, two) = (try here.accounts(), try there.accounts())
    _ = try two.fetch(Made.alice, .forbidden)
    try one.store(Made.renewed(token: "R1"), .forbidden)
    let change = SharedAccount(
      id: Made.alice,
      name: try Made.name("alice"),
      record: Made.record("alice", note: "changed"),
      items: .unchanged
    )
    #expect(throws: SharedAccountFailure.superseded) { try two.store(change, .forbidden) }
    try two.store(change, .forbidden)
    #expect(try one.fetch(Made.alice, .forbidden) == change.record)
  }
}
