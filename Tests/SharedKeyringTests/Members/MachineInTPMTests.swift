import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import Secrets
import SharedKeyring
import StrictJSON
import Synchronization
import Testing
import Vault

@Suite("A machine of a shared keyring with its key in a TPM")
struct MachineInTPMTests {
  let fleet: Fleet
  let member: TestMachine

  init() throws {
    fleet = try Fleet()
    member = try fleet.machine("member")
    try member.accounts().store(Made.account(), .forbidden)
  }

  /// A machine that has joined by a code, with a key in its TPM.
  private func joined(_ name: String, kernel: KernelKey = .refusing) async throws -> TestMachine {
    let machine = TestMachine(name, home: try fleet.folder.folder(name), engine: fleet.engine, kernel: kernel)
    try await join(machine, machine.tpm.address)
    return machine
  }

  private func join(_ machine: TestMachine, _ tpm: TPMAddress?) async throws {
    let member = member
    let code = Mutex("")
    machine.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await machine.membership.request(Fleet.settings, tpm, .forbidden) { text in code.withLock { $0 = text } }
  }

  private func failure(_ machine: TestMachine) -> KeyringFailure? {
    do throws(KeyringFailure) {
      _ = try machine.keyring().accounts?.fetch(Made.alice, .forbidden)
      return nil
    } catch {
      return error
    }
  }

  @Test("It reads and writes, has no key in a keyring of its own, and is listed with the place of its key")
  func used() async throws {
    let machine = try await joined("sealed")
    #expect(try machine.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    try machine.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    #expect(try member.accounts().fetchAll(.forbidden).accounts == [Made.alice, Made.bob])
    #expect(machine.own.items.isEmpty)
    #expect(machine.membership.ownItem() == nil)
    let other = TestMachine("other", home: try fleet.folder.folder("other"), engine: fleet.engine)
    try await join(other, nil)
    #expect(other.tpm.uses == 0)
    let machines = try machine.membership.machines(.forbidden)
    #expect(machines.map(\.name) == ["sealed", "other", "member"])
    #expect(machines.map(\.keyPlace) == [.tpm, .software, nil])
    #expect(machines.map(\.recipient) == [.machine, .machine, .keyFile])
  }

  @Test("Its TPM is asked again only when the kernel has the key no more, or the key has changed")
  func asked() async throws {
    let kernel = InMemoryKernel()
    let machine = try await joined("sealed", kernel: kernel.keys)
    let before = machine.tpm.uses
    for _ in 0..<3 { _ = try machine.accounts().fetch(Made.alice, .forbidden) }
    #expect(machine.tpm.uses == before)
    kernel.kept = [:]
    for _ in 0..<3 { _ = try machine.accounts().fetch(Made.alice, .forbidden) }
    #expect(machine.tpm.uses == before + 1)
    _ = try member.membership.rekey(Rekeying(), .forbidden)
    for _ in 0..<3 { _ = try machine.accounts().fetch(Made.alice, .forbidden) }
    #expect(machine.tpm.uses == before + 2)
  }

  @Test("A TPM that was cleared opens nothing; the machine leaves without it, and joins again with a new key")
  func cleared() async throws {
    let machine = try await joined("sealed")
    machine.tpm.clear()
    #expect(failure(machine) == .machineKey(in: machine.tpm.address, .foreign))
    #expect(try machine.vault().sharedKeyring.report().lock == .machineKey(in: machine.tpm.address, .foreign))
    _ = try machine.vault().sharedKeyring.leave()
    let note = try #require(try machine.folder.read("machine", limit: 8192))
    #expect(try JSON(parsing: note).objectValue?["tss2"] == nil)
    try await join(machine, machine.tpm.address)
    #expect(failure(machine) == nil)
  }

  @Test("A machine that was removed is told by whom, by a note that its TPM opens")
  func removed() async throws {
    let machine = try await joined("sealed")
    _ = try machine.accounts().fetch(Made.alice, .forbidden)
    _ = try member.membership.rekey(Rekeying(removing: "sealed"), .forbidden)
    #expect(throws: SharedMembershipFailure.keyring(.removedMachine(by: "member", at: 1_800_000_000))) {
      try machine.membership.machines(.forbidden)
    }
  }

  @Test("A TPM that is not there makes no key, no request and no note")
  func absent() async throws {
    let machine = TestMachine("sealed", home: try fleet.folder.folder("sealed"), engine: fleet.engine)
    let elsewhere = TPMAddress.path("/dev/tpmrm1")
    let absent = HardwareKeyFailure.absent(reason: "there is no such TPM")
    await #expect(throws: SharedMembershipFailure.keyring(.machineKey(in: elsewhere, absent))) {
      try await machine.membership.request(Fleet.settings, elsewhere, .forbidden) { _ in }
    }
    #expect(fleet.engine.objects.keys.filter { $0.hasPrefix("/acct/main/j/") } == [])
    #expect(try machine.folder.read("machine.asking", limit: 8192) == nil)
  }

  @Test("A request without the place of its key is read, and one with a place that this version does not know")
  func requests() throws {
    let key =
      "04" + "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
      + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    let former = #"{"key":"\#(key)","name":"host","version":"1","at":1,"formerly":"""#
    let places: [(String, SharedMachine.KeyPlace?)] = [
      ("", nil), (#","place":"tpm""#, .tpm), (#","place":"software""#, .software), (#","place":"moon""#, nil),
    ]
    for (member, place) in places {
      let request = try #require(JoinRequest(parsing: Array("\(former)\(member)}".utf8)))
      #expect(request.keyPlace == place)
    }
  }
}
