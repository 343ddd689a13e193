import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import SharedKeyring
import Testing

@Suite("The generation that is sealed in a shared account's object")
struct GenerationTests {
  let fleet: Fleet
  let here: TestMachine
  let there: TestMachine
  private let place = "/acct/main/a/\(Made.alice)"

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
    try here.accounts().store(Made.account(), .forbidden)
  }

  private var object: SharedStore.Object { get throws { try #require(fleet.engine.objects[place]) } }

  /// Changes the account on one machine, which the other one sees.
  private func change() throws {
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
  }

  @Test("An older object is a rollback to each machine that has seen a newer one")
  func putBack() async throws {
    let before = try object
    try change()
    fleet.engine.put(before.bytes, at: place)
    for machine in [here, there] {
      let accounts = try machine.accounts()
      // The copy is what there is.
      #expect(try accounts.fetch(Made.alice, .forbidden) == Made.record("alice"))
      await #expect(throws: KeyringFailure.rolledBack) { try await accounts.claim(Made.intent(), .forbidden) }
      #expect(try await machine.item(.refreshToken, of: Made.alice) == Secret("R1"))
      #expect(try machine.accounts().fetchAll(.forbidden).records == [:])
      #expect(try machine.vault().sharedKeyring.report().isRolledBack)
      let inspection = try machine.vault().sharedKeyring.inspect(.forbidden)
      #expect(inspection.rolledBack == [Made.alice])
    }
    // A machine that has seen nothing can't know.
    let new = try fleet.machine("new")
    #expect(try new.accounts().fetchAll(.forbidden).accounts == [Made.alice])
  }

  @Test("Another object of the same generation is a rollback")
  func fork() throws {
    let engine = fleet.engine
    let undo = engine.backup()
    try change()
    let mine = try object
    undo()
    engine.advance(by: 10)
    try fleet.machine("third").accounts().store(Made.renewed(token: "R2"), .forbidden)
    #expect(try object.bytes != mine.bytes)
    #expect(try here.accounts().fetchAll(.forbidden).records == [:])
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
  }

  @Test("An account that is gone without a trace of its removal is a rollback")
  func deleted() async throws {
    try change()
    fleet.engine.delete(place)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
    #expect(try here.vault().sharedKeyring.inspect(.forbidden).rolledBack == [Made.alice])
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    #expect(throws: SharedAccountFailure.keyring(.rolledBack)) {
      try accounts.store(Made.renewed(token: "R2"), .forbidden)
    }
  }

  @Test("A removed account that is put back, or whose trace is deleted, stays removed")
  func removed() throws {
    let before = try object
    try change()
    try there.accounts().remove(Made.alice, nil, .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [])
    let trace = try object
    for bytes in [before.bytes, nil, trace.bytes] {
      if let bytes { fleet.engine.put(bytes, at: place) } else { fleet.engine.delete(place) }
      for machine in [here, there] {
        #expect(try machine.accounts().fetchAll(.forbidden).accounts == [])
        if bytes == before.bytes {
          #expect(throws: KeyringFailure.rolledBack) { try machine.accounts().fetch(Made.alice, .forbidden) }
        } else {
          #expect(try machine.accounts().fetch(Made.alice, .forbidden) == nil)
        }
      }
    }
  }

  @Test("An account of the very generation of its removal's trace was put back")
  func besideTrace() throws {
    try change()
    let engine = fleet.engine
    let undo = engine.backup()
    try there.accounts().store(Made.renewed(token: "R2"), .forbidden)
    let withheld = try object
    undo()
    engine.advance(by: 10)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    engine.put(withheld.bytes, at: place)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [])
    #expect(throws: KeyringFailure.rolledBack) { try here.accounts().fetch(Made.alice, .forbidden) }
  }

  @Test("An answer that waits for an account that was removed is dropped by trust")
  func answerOfRemoved() async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    try there.accounts().remove(Made.alice, nil, .forbidden)
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(try here.vault().sharedKeyring.report().pending == [])
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == nil)
    #expect(try there.accounts().fetchAll(.forbidden).accounts == [])
  }

  @Test("An older object of one account hides no change of the others")
  func others() throws {
    let before = try object
    try here.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    try change()
    fleet.engine.put(before.bytes, at: place)
    try there.accounts().store(Made.renewed(Made.bob, named: "robert", token: "R5"), .forbidden)
    let changes = try here.accounts().fetchAll(.forbidden)
    #expect(changes.records == [Made.bob: Made.record("robert")])
    #expect(changes.accounts == [Made.alice, Made.bob])
  }

  @Test("An account may be made again where its trace is, and is then a later one")
  func madeAgain() async throws {
    let before = try object
    try change()
    try here.accounts().remove(Made.alice, nil, .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    try there.accounts().store(Made.account(token: "R7"), .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R7"))
    fleet.engine.put(before.bytes, at: place)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R7"))
  }

  @Test("Trust takes older objects over, and what is removed there")
  func trusted() async throws {
    let before = try object
    try change()
    fleet.engine.put(before.bytes, at: place)
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(try !here.vault().sharedKeyring.report().isRolledBack)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    try here.accounts().store(Made.renewed(token: "R8"), .forbidden)
    fleet.engine.delete(place)
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [])
  }

  @Test("An object without a generation is read, and raised by the first write")
  func earlierVersion() async throws {
    let old = SharedObject(
      name: try Made.name("bob"),
      record: Made.record("bob"),
      items: [ItemKind.refreshToken.rawValue: Secret("R0")]
    )
    let bobs = "/acct/main/a/\(Made.bob)"
    fleet.engine.put(try fleet.sealed(old, at: bobs), at: bobs)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice, Made.bob])
    // One that an earlier version of acct removes leaves no trace.
    let before = try #require(fleet.engine.objects[bobs])
    fleet.engine.delete(bobs)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    fleet.engine.put(before.bytes, at: bobs)
    _ = try here.accounts().fetchAll(.forbidden)
    let raised = try Made.renewed(Made.bob, named: "bob", token: "R1")
    try here.accounts().store(raised, .forbidden)
    fleet.engine.put(before.bytes, at: bobs)
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
    #expect(try await here.item(.refreshToken, of: Made.bob) == Secret("R1"))
  }

  @Test(
    "An answer whose numbers are out of bounds is rejected, and nothing is kept of it",
    arguments: [0, -1, 1_000_000, 1 << 62, (1 << 62) + 1, Int64.max] as [Int64]
  )
  func bounds(version: Int64) throws {
    fleet.engine.put(try object.bytes, at: place, version: version)
    #expect(throws: KeyringFailure.self) { try here.accounts().fetch(Made.alice, .forbidden) }
    if version > 0 {
      #expect(throws: KeyringFailure.self) { try there.accounts().fetchAll(.forbidden) }
    }
    fleet.engine.put(try object.bytes, at: place)
    #expect(try !here.vault().sharedKeyring.report().isRolledBack)
  }

  @Test("A stray object with a version of the future hides no change")
  func cursor() throws {
    let stray = "/acct/main/a/stray"
    fleet.engine.put([0], at: stray, version: 1 << 62)
    #expect(throws: KeyringFailure.self) { try there.accounts().fetchAll(.forbidden) }
    fleet.engine.delete(stray)
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    #expect(try there.accounts().fetchAll(.forbidden).records == [Made.alice: Made.record("alice")])
  }

  @Test("Items that are planted without an account are no account")
  func itemsAlone() throws {
    let items = SharedObject(items: [ItemKind.refreshToken.rawValue: Secret("R9")])
    fleet.engine.put(try fleet.sealed(items, at: place), at: place)
    let there = try fleet.machine("third")
    #expect(throws: KeyringFailure.damagedAccount(Made.alice, .notThisAccount)) {
      try there.accounts().fetch(Made.alice, .forbidden)
    }
    #expect(try there.accounts().fetchAll(.forbidden).records == [:])
  }
}
