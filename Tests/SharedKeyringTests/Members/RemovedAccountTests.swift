import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Testing
import Vault

@Suite("What the trace of a removal tells")
struct RemovedAccountTests {
  let fleet: Fleet
  let here: TestMachine
  let there: TestMachine
  private let place = "/acct/main/a/\(Made.alice)"

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
  }

  private func event(_ kind: AccountEvent.Kind, _ second: Int64, on machine: String) throws -> AccountEvent {
    AccountEvent(kind, at: try #require(Timestamp(secondsSince1970: second)), on: machine, for: nil)
  }

  /// Adds an account with a history, whose removal follows.
  private func add(_ events: [AccountEvent], on machine: TestMachine) throws {
    var account = try Made.account()
    account.record = Array(#"{"name":"alice","history":"\#(AccountHistory(events).text)"}"#.utf8)
    try machine.accounts().store(account, .forbidden)
  }

  @Test("Every machine sees the name, the last events and who removed it when; a change of the key keeps that")
  func told() throws {
    let renewals = try (0..<20).map { try event(.renewed, 1000 + $0, on: "here") }
    try add(renewals, on: here)
    _ = try there.accounts().fetchAll(.forbidden)
    let removal = try event(.removed, 2000, on: "there")
    try there.accounts().remove(Made.alice, removal, .forbidden)
    let told = RemovedAccount(
      id: Made.alice,
      name: try Made.name("alice"),
      history: AccountHistory(renewals.suffix(9) + [removal])
    )
    #expect(try there.accounts().removals(.forbidden) == [told])
    // The other machine learns of it with everything else.
    #expect(try here.accounts().removals(.forbidden) == [])
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [])
    #expect(try here.accounts().removals(.forbidden) == [told])
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    let late = try fleet.machine("late")
    for machine in [here, there, late] {
      _ = try machine.accounts().fetchAll(.forbidden)
      #expect(try machine.accounts().removals(.forbidden) == [told])
    }
    // What was there may be made again, and is no removed account then.
    try here.accounts().store(Made.account(token: "R7"), .forbidden)
    #expect(try here.accounts().removals(.forbidden) == [])
  }

  @Test("An older object in the place of a trace that tells is noticed, and so is the trace's own absence")
  func putBack() throws {
    try add([], on: here)
    _ = try there.accounts().fetchAll(.forbidden)
    let before = try #require(fleet.engine.objects[place])
    try here.accounts().remove(Made.alice, try event(.removed, 2000, on: "here"), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    fleet.engine.put(before.bytes, at: place)
    for machine in [here, there] {
      #expect(try machine.accounts().fetchAll(.forbidden).accounts == [])
      #expect(throws: KeyringFailure.rolledBack) { try machine.accounts().fetch(Made.alice, .forbidden) }
      #expect(try machine.vault().sharedKeyring.inspect(.forbidden).rolledBack == [Made.alice])
    }
    fleet.engine.delete(place)
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == nil)
    #expect(try there.accounts().removals(.forbidden).map(\.id) == [Made.alice])
  }

  @Test("A trace without a word, as before, is one all the same")
  func silent() throws {
    try add([], on: here)
    _ = try there.accounts().fetchAll(.forbidden)
    try here.accounts().remove(Made.alice, nil, .forbidden)
    #expect(try there.accounts().fetchAll(.forbidden).accounts == [])
    #expect(try there.accounts().removals(.forbidden) == [])
    #expect(try there.vault().sharedKeyring.inspect(.forbidden).damaged == [:])
  }

  @Test("In a keyring of the former form a trace tells nothing, so that earlier versions of acct read it")
  func former() throws {
    let key = Secret([UInt8](repeating: 0x5A, count: 32))
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    let engine = InMemoryStore()
    try engine.store.prepare()
    _ = try engine.store.swap("/acct/main/header", KeyFileHeader(of: key, entropy: entropy).serialized(), nil)
    let one = TestMachine("one", home: try fleet.folder.folder("one"), keyFile: fleet.keyFile, engine: engine)
    try one.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    try add([], on: one)
    try one.accounts().remove(Made.alice, try event(.removed, 2000, on: "one"), .forbidden)
    #expect(try one.accounts().removals(.forbidden) == [])
    let trace = try #require(engine.objects[place])
    let seal = Seal(key: key, entropy: entropy, check: { _ in nil })
    // Three fields: generation and mark; an earlier version takes no other.
    #expect(try seal.open(trace.bytes, at: place).count == 5 + 16 + 5)
  }

  @Test("What a trace tells is read in one form only, and of a trace alone")
  func oneForm() throws {
    let removal = Removal(
      name: try Made.name("alice"),
      history: AccountHistory([try event(.removed, 2000, on: "here")])
    )
    var trace = SharedObject(generation: 7, isRemoved: true)
    trace.removal = removal
    let plaintext = trace.serialized(epoch: 2)
    #expect(try SharedObject(parsing: plaintext, epoch: 2) == trace)
    // The name's length is that of another JSON.
    let spaced = plaintext.withBytes { bytes in bytes.indices.map { bytes[$0] } } + [0x20]
    #expect(throws: SharedDamage.self) { try SharedObject(parsing: Secret(spaced), epoch: 2) }
    var account = SharedObject(name: try Made.name("alice"), record: Array("{}".utf8), generation: 7)
    account.removal = removal
    #expect(throws: SharedDamage.malformed) { try SharedObject(parsing: account.serialized(epoch: 2), epoch: 2) }
  }
}
