import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Testing

/// An engine that was restored from a backup of before the key changed, as a whole or in one place.
@Suite("A shared keyring that is restored to an earlier key")
struct RestoredTests {
  let fleet: Fleet
  let here: TestMachine
  let there: TestMachine
  private let kernel = InMemoryKernel()
  private let place = "/acct/main/a/\(Made.alice)"

  init() throws {
    fleet = try Fleet()
    let home = try fleet.folder.folder("here")
    here = TestMachine("here", home: home, keyFile: fleet.keyFile, engine: fleet.engine, kernel: kernel.keys)
    try here.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    there = try fleet.machine("there")
    _ = try there.accounts().fetchAll(.forbidden)
  }

  @Test("It is trusted while an answer waits that the later key has sealed, which is stored then")
  func answer() async throws {
    let restore = fleet.engine.backup()
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    let accounts = try await here.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    restore()
    fleet.engine.rename(to: "restored")
    #expect(try here.vault().sharedKeyring.trust(.forbidden) == .init())
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A key of the same number that the kernel has from before is not used")
  func staleKey() throws {
    let restore = fleet.engine.backup()
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    let before = kernel.kept
    restore()
    fleet.engine.rename(to: "restored")
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    kernel.kept = before
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(kernel.kept != before)
  }

  @Test("An object of before the change alone, which a removed machine can put there as well, is told of as such")
  func object() throws {
    let former = try #require(fleet.engine.objects[place])
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    fleet.engine.put(former.bytes, at: place)
    #expect(throws: KeyringFailure.damagedAccount(Made.alice, .formerKey)) {
      try there.accounts().fetch(Made.alice, .forbidden)
    }
  }

  @Test("After a whole restore the doctor names older accounts, and none as damaged")
  func inspected() throws {
    let restore = fleet.engine.backup()
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    _ = try here.accounts().fetchAll(.forbidden)
    restore()
    let inspection = try here.vault().sharedKeyring.inspect(.forbidden)
    #expect(inspection.damaged.isEmpty)
    #expect(inspection.rolledBack == [Made.alice])
  }

  @Test("An older object that the engine shows while the key changes is not sealed anew")
  func sealedAnew() throws {
    let former = try #require(fleet.engine.objects[place])
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    fleet.engine.put(former.bytes, at: place)
    #expect(throws: SharedMembershipFailure.keyring(.rolledBack)) {
      _ = try here.membership.rekey(Rekeying(), .forbidden)
    }
    #expect(fleet.engine.objects[place]?.bytes == former.bytes)
  }
}
