import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import Secrets
import SharedKeyring
import Synchronization
import Testing

@Suite("Removing a machine from a shared keyring")
struct RemovalTests {
  let fleet: Fleet
  let here: TestMachine

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
  }

  /// Lets a machine ask, and a member approve it.
  private func approve(_ machine: TestMachine) async throws {
    let code = Mutex("")
    let member = here
    machine.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await machine.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
  }

  private func keyless(_ name: String) throws -> TestMachine {
    TestMachine(name, home: try fleet.folder.folder(name), engine: fleet.engine)
  }

  private func seal() throws -> Seal {
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    let key = Secret([UInt8](repeating: 0x5A, count: 32))
    let header = try #require(fleet.engine.objects["/acct/main/header"]?.bytes)
    let seal = Seal(header: header, keyFile: key, entropy: entropy, check: { _ in nil })
    return try #require(seal)
  }

  @Test("A machine that was removed asks again without leaving, and is let in with another key")
  func again() async throws {
    let lost = try keyless("lost")
    try await approve(lost)
    let former = lost.membership.ownItem()
    _ = try here.membership.rekey(Rekeying(removing: "lost"), .forbidden)
    await #expect(throws: SharedMembershipFailure.notApproved) {
      try await lost.membership.request(Fleet.settings, nil, .forbidden) { _ in }
    }
    // It still knows who it was.
    #expect(throws: KeyringFailure.removedMachine(by: "here", at: 1_800_000_000)) {
      try lost.accounts().fetch(Made.alice, .forbidden)
    }
    here.advance(seconds: 60)
    try await approve(lost)
    #expect(try lost.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(lost.membership.ownItem() != former)
    #expect(lost.own.items.values.count { !$0.isEmpty } == 1)
    #expect(try here.membership.machines(.forbidden).filter { $0.recipient == .machine }.map(\.name) == ["lost-2"])
    // Who removes it by its host's name would think that it is out.
    let removal = MachineRemoval(by: "here", at: 1_800_000_000)
    #expect(throws: SharedMembershipFailure.removedBefore("lost", removal, namesakes: ["lost-2"])) {
      try here.membership.rekey(Rekeying(removing: "lost"), .forbidden)
    }
    #expect(try lost.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try here.membership.rekey(Rekeying(removing: "lost-2"), .forbidden).earlier == nil)
    let second = MachineRemoval(by: "here", at: 1_800_000_060)
    #expect(try here.membership.rekey(Rekeying(removing: "lost-2"), .forbidden).earlier == second)
  }

  @Test("A removal that is made again ends well beside another machine of which no one knows since when it is there")
  func numberedHost() async throws {
    let other = try fleet.machine(apart: "web-2")
    fleet.engine.denyHeader()
    try other.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    fleet.engine.denyHeader(false)
    try await approve(try keyless("web"))
    _ = try here.membership.rekey(Rekeying(removing: "web"), .forbidden)
    // Its only write that the keyring still has is later than the removal.
    other.advance(seconds: 60)
    try other.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    #expect(try here.membership.machines(.forbidden).map(\.name).contains("web-2"))
    let removal = MachineRemoval(by: "here", at: 1_800_000_000)
    #expect(try here.membership.rekey(Rekeying(removing: "web"), .forbidden).earlier == removal)
  }

  @Test("A member does not ask to join by a code, and keeps its key")
  func member() async throws {
    let member = try keyless("member")
    try await approve(member)
    await #expect(throws: SharedMembershipFailure.member) {
      try await member.membership.request(Fleet.settings, nil, .forbidden) { _ in }
    }
    #expect(try member.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("A machine that was let in and stopped before it knew is in when it asks again", arguments: [false, true])
  func interrupted(atOnce: Bool) async throws {
    let member = try keyless("member")
    try await approve(member)
    try member.folder.remove("settings.json")
    if atOnce {
      // Nothing of the keyring had come yet.
      let note = try #require(try member.folder.read("machine", limit: 65_536))
      try member.folder.replace("machine.asking", note.span)
      for name in ["machine", "header", "standing"] { try member.folder.remove(name) }
    }
    try await member.membership.request(Fleet.settings, nil, .forbidden) { _ in Issue.record("no code is needed") }
    #expect(try member.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try member.folder.read("machine.asking", limit: 65_536) == nil)
    #expect(member.own.items.values.count { !$0.isEmpty } == 1)
  }

  @Test("A machine whose key is lost asks again, and its answer that waits is stored then")
  func lostKey() async throws {
    let member = try keyless("member")
    try await approve(member)
    let accounts = try await member.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    let item = try #require(member.membership.ownItem())
    try await member.own.keyring(as: .vault).remove(item, [.keypair], .forbidden)
    #expect(throws: KeyringFailure.self) { try member.accounts().fetch(Made.alice, .forbidden) }
    try await approve(member)
    #expect(try member.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await member.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A machine that is removed twice, the second time with a new key file, gets neither in silence")
  func removedBefore() async throws {
    let lost = try keyless("lost")
    try await approve(lost)
    _ = try here.membership.rekey(Rekeying(removing: "lost"), .forbidden)
    let keyFile = try fleet.folder.file("new", containing: [UInt8](repeating: 0x6B, count: 32))
    for secret in [Rekeying.Secret.keyFile(keyFile), .none] {
      #expect(throws: SharedMembershipFailure.noSuchMachine("lost")) {
        _ = try here.membership.rekey(Rekeying(removing: "lost", secret: secret), .forbidden)
      }
    }
    #expect(try here.membership.rekey(Rekeying(removing: "lost"), .forbidden).removed == "lost")
  }

  @Test("Two machines that change the key at once both end, and nothing is sealed more often than it has to be")
  func twoChanges() throws {
    let there = try fleet.machine("there")
    let before = fleet.engine.calls.swaps
    // The header, then the first object.
    fleet.engine.interruptNextSwap { [engine = fleet.engine] _ in
      engine.interruptNextSwap { _ in
        #expect(throws: Never.self) { _ = try there.membership.rekey(Rekeying(), .forbidden) }
      }
    }
    #expect(throws: Never.self) { _ = try here.membership.rekey(Rekeying(), .forbidden) }
    #expect(fleet.engine.calls.swaps - before < 16)
    for machine in [here, there] {
      #expect(try machine.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    }
  }

  @Test("A machine that joined with the key file has had it, if it wrote nothing, and if it has a key of its own since")
  func holders() async throws {
    let silent = try fleet.machine("silent")
    _ = try silent.accounts().fetchAll(.forbidden)
    try await approve(silent)
    #expect(throws: SharedMembershipFailure.knowsSecret(.keyFile, machine: "silent")) {
      _ = try here.membership.rekey(Rekeying(removing: "silent"), .forbidden)
    }
    let passphrase = try fleet.folder.file("new", containing: "another passphrase\n")
    let change = Rekeying(removing: "silent", secret: .passphrase(file: passphrase))
    #expect(try here.membership.rekey(change, .forbidden).removed == "silent")
  }

  @Test("A machine that left, and joined again by a code, is known to have had the key file")
  func leftBefore() async throws {
    let silent = try fleet.machine("silent")
    _ = try silent.vault().sharedKeyring.leave()
    try await approve(TestMachine("silent", home: silent.home, engine: fleet.engine))
    #expect(throws: SharedMembershipFailure.knowsSecret(.keyFile, machine: "silent")) {
      _ = try here.membership.rekey(Rekeying(removing: "silent"), .forbidden)
    }
  }

  @Test("A machine that joins by a code with the key file in its hand is known to have it")
  func holding() async throws {
    try await approve(try fleet.machine(apart: "other"))
    #expect(throws: SharedMembershipFailure.knowsSecret(.keyFile, machine: "other")) {
      _ = try here.membership.rekey(Rekeying(removing: "other"), .forbidden)
    }
  }

  @Test("A machine that was removed, and got the new key file, is listed and can be removed again")
  func backBySecret() throws {
    let there = try fleet.machine("there")
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    var member = here
    for byte in [0x6B, 0x6C] as [UInt8] {
      let keyFile = try fleet.folder.file("new-\(byte)", containing: [UInt8](repeating: byte, count: 32))
      let change = Rekeying(removing: "there", secret: .keyFile(keyFile))
      let result = try member.membership.rekey(change, .forbidden)
      #expect(result.removed == "there" && result.earlier == nil)
      member = TestMachine("here", home: here.home, keyFile: keyFile, engine: fleet.engine)
      #expect(try !member.membership.machines(.forbidden).map(\.name).contains("there"))
      let again = TestMachine("there", home: there.home, keyFile: keyFile, engine: fleet.engine)
      #expect(try again.accounts().fetch(Made.bob, .forbidden) == Made.record("bob"))
      #expect(try member.membership.machines(.forbidden).map(\.name).contains("there"))
      #expect(throws: SharedMembershipFailure.knowsSecret(.keyFile, machine: "there")) {
        _ = try member.membership.rekey(Rekeying(removing: "there"), .forbidden)
      }
    }
  }

  @Test("One that may not write the header is listed again by what it has written since")
  func backAsWriter() throws {
    let there = try fleet.machine("there")
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let keyFile = try fleet.folder.file("new", containing: [UInt8](repeating: 0x6B, count: 32))
    _ = try here.membership.rekey(Rekeying(removing: "there", secret: .keyFile(keyFile)), .forbidden)
    let member = TestMachine("here", home: here.home, keyFile: keyFile, engine: fleet.engine)
    let again = TestMachine("there", home: there.home, keyFile: keyFile, engine: fleet.engine)
    // Each note in the header is denied.
    fleet.engine.denyHeader()
    _ = try again.accounts().fetchAll(.forbidden)
    #expect(try !member.membership.machines(.forbidden).map(\.name).contains("there"))
    again.advance(seconds: 1)
    try again.accounts().store(Made.renewed(Made.bob, named: "bob", token: "R1"), .forbidden)
    #expect(try member.membership.machines(.forbidden).map(\.name).contains("there"))
  }

  @Test("An object of a later version of acct is named after all others are sealed anew, and stays")
  func laterVersion() throws {
    let seal = try seal()
    let place = "/acct/main/a/\(Made.bob)"
    let later = SharedObject(name: try Made.name("bob"), record: Made.record("bob"), generation: 1)
    let known = later.serialized(epoch: 2).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    // A field of no version yet.
    let contents = Secret(known + [0xFE, 0, 0, 0, 0])
    fleet.engine.put(try seal.seal(contents, at: place), at: place)
    for _ in 0..<2 {
      #expect(throws: SharedMembershipFailure.laterVersion(Made.bob)) {
        _ = try here.membership.rekey(Rekeying(), .forbidden)
      }
      #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    }
    let alice = try #require(fleet.engine.objects["/acct/main/a/\(Made.alice)"])
    #expect(throws: Seal.Unopened.self) { try seal.open(alice.bytes, at: alice.key) }
    try here.accounts().remove(Made.bob, nil, .forbidden)
    #expect(try here.membership.rekey(Rekeying(), .forbidden).damaged == [])
  }

  @Test("A machine that may not write the header joins with the key file all the same")
  func reader() throws {
    let reader = try fleet.machine(apart: "reader")
    let engine = fleet.engine
    engine.interruptNextSwap { _ in engine.fail(with: .denied(reason: "a test said so")) }
    try reader.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    engine.fail(with: nil)
    #expect(try reader.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("What a member leaves about does not hinder the change, and objects that it fills to the last byte do not")
  func leftAbout() throws {
    let seal = try seal()
    let places = ["/acct/main/n/\(String(repeating: "0", count: 64))", "/acct/main/n/x", "/acct/main/a/no-account"]
    for place in places { fleet.engine.put(try seal.seal(Secret("nobody"), at: place), at: place) }
    let place = "/acct/main/a/\(Made.bob)"
    let overhead = try seal.seal(Secret(""), at: place).count
    var full = SharedObject(name: try Made.name("bob"), record: Made.record("bob"), generation: 1)
    full.items = ["note": Secret("")]
    let rest = (1 << 20) - 64 - overhead - full.serialized(epoch: 2).count
    full.items = ["note": Secret([UInt8](repeating: 0x61, count: rest))]
    fleet.engine.put(try seal.sealed(full, at: place), at: place)
    #expect(try here.membership.rekey(Rekeying(), .forbidden).damaged == [])
    #expect(try here.accounts().fetch(Made.bob, .forbidden) == Made.record("bob"))
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("The name of an account whose machine was killed while the key changed is free again")
  func interruptedAdding() throws {
    let (engine, member) = (fleet.engine, here)
    let there = try fleet.machine("there")
    // The name, then the account; the whole change of the key comes in between.
    engine.interruptNextSwap { _ in
      engine.interruptNextSwap { _ in
        _ = try? member.membership.rekey(Rekeying(), .forbidden)
        engine.befall(.unansweredThenAway)
      }
    }
    #expect(throws: SharedAccountFailure.self) {
      try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    }
    engine.fail(with: nil)
    #expect(throws: KeyringFailure.damagedAccount(Made.bob, .formerKey)) {
      try here.accounts().fetch(Made.bob, .forbidden)
    }
    let again = AccountID(random: InlineArray(repeating: 0xB1))
    try there.accounts().store(Made.account(again, named: "bob"), .forbidden)
    #expect(try here.accounts().fetch(again, .forbidden) == Made.record("bob"))
    try here.accounts().remove(Made.bob, nil, .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice, again])
  }

  @Test("A machine that writes with the former key without end stops the change with words, and it can be ended later")
  func writing() throws {
    let (engine, seal) = (fleet.engine, try seal())
    let place = "/acct/main/a/\(Made.bob)"
    let planted = SharedObject(name: try Made.name("bob"), record: Made.record("bob"), generation: 1)
    let bytes = try seal.sealed(planted, at: place)
    @Sendable func write() {
      engine.put(bytes, at: place)
      engine.interruptNextSwap { _ in write() }
    }
    engine.interruptNextSwap { _ in write() }
    #expect(throws: SharedMembershipFailure.stillWriting) { _ = try here.membership.rekey(Rekeying(), .forbidden) }
    engine.interruptNextSwap { _ in }
    #expect(try here.membership.rekey(Rekeying(), .forbidden).damaged == [])
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }
}
