import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Testing
import Vault

/// Machines that open a shared keyring by its passphrase or its key file.
@Suite("Machines that have a shared keyring's passphrase or key file")
struct HoldersTests {
  let fleet: Fleet

  init() throws { fleet = try Fleet() }

  private func machine(
    _ name: String,
    passphrase: String? = nil,
    kernel: KernelKey = .refusing,
    _ terminal: Terminal = .nobody
  ) throws -> TestMachine {
    TestMachine(
      name,
      home: try fleet.folder.folder(name),
      passphraseFile: try passphrase.map { try fleet.folder.file("passphrase of \(name)", containing: $0) },
      engine: fleet.engine,
      kernel: kernel,
      terminal: terminal
    )
  }

  /// The same machine with a person in the place of its file.
  private func attended(_ machine: TestMachine, _ kernel: KernelKey = .refusing, entering passphrase: String)
    -> TestMachine
  {
    TestMachine(
      machine.name,
      home: machine.home,
      engine: fleet.engine,
      kernel: kernel,
      terminal: .answering(passphrase)
    )
  }

  private func unlock(_ machine: TestMachine) async throws -> Int? {
    let unlock = try #require(machine.keyring().unlock)
    return try await unlock(.allowed)
  }

  @Test("The list of machines says since when each one is a member, also through a change of the key")
  func since() async throws {
    let here = try fleet.machine("here")
    let there = try fleet.machine(apart: "there")
    there.advance(seconds: 86_400)
    try there.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    for machine in [here, there] { machine.advance(seconds: 7 * 86_400) }
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    func since() throws -> [String: Int64?] {
      let machines = try here.membership.members(.forbidden).machines
      return Dictionary(machines.map { ($0.name, $0.since) }) { first, _ in first }
    }
    let joined: [String: Int64?] = ["here": 1_800_000_000, "there": 1_800_086_400]
    #expect(try since() == joined)
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    #expect(try since() == joined)
  }

  @Test("A role that only reads is told that its machine can, and a denied header is no such thing")
  func reader() async throws {
    let here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    fleet.engine.denyWrites()
    let failure = KeyringFailure.engine(.readOnly(reason: "a test said so"))
    await #expect(throws: failure) { _ = try await accounts.claim(Made.intent(), .forbidden) }
    #expect(throws: SharedMembershipFailure.keyring(.engine(.denied(reason: "a test said so")))) {
      _ = try here.membership.rekey(Rekeying(), .forbidden)
    }
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("A machine whose password is not accepted any more is denied access, and is no reader")
  func formerPassword() async throws {
    let here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    let engine = fleet.engine
    engine.interruptNextSwap { _ in engine.fail(with: .denied(reason: "a test said so")) }
    await #expect(throws: KeyringFailure.engine(.denied(reason: "a test said so"))) {
      _ = try await accounts.claim(Made.intent(), .forbidden)
    }
  }

  @Test("A passphrase that ends in CR opens the keyring by a file of either form, and is known as this machine's means")
  func carriageReturn() throws {
    try machine("maker", passphrase: "made up for this\r\r\n").vault().sharedKeyring.create(Fleet.settings, .forbidden)
    let here = try machine("here", passphrase: "made up for this\r\n")
    try here.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    let means = try here.membership.members(.forbidden).means
    #expect(means.map(\.isOwn) == [true])
    #expect(throws: SharedMembershipFailure.sameSecret(.passphrase)) {
      let file = try #require(here.passphraseFile)
      _ = try here.membership.rekey(Rekeying(secret: .passphrase(file: file)), .forbidden)
    }
    #expect(try here.membership.rekey(Rekeying(), .forbidden).dropped.isEmpty)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("What a person enters unlocks the keyring if the kernel keeps its key, and is an error if it does not")
  func unlocking() async throws {
    let here = try machine("here", passphrase: "made up for this\n")
    try here.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    let refusing = attended(here, entering: "made up for this")
    await #expect(
      throws: KeyringFailure.locked(
        reason: "the passphrase is right, and the kernel does not keep the key: function not implemented",
        openedBy: .fileForEach
      )
    ) { _ = try await unlock(refusing) }
    #expect(await refusing.keyring().state() == .locked)
    let kernel = InMemoryKernel()
    let keeping = attended(here, kernel.keys, entering: "made up for this")
    for _ in 0..<2 { #expect(try await unlock(keeping) == 900) }
    #expect(await keeping.keyring().state() == .ready)
    // A file opens it again.
    #expect(try await unlock(here) == nil)
    let keyed = TestMachine(
      "keyed",
      home: try fleet.folder.folder("keyed"),
      keyFile: fleet.keyFile,
      engine: InMemoryStore()
    )
    try keyed.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    #expect(try await unlock(keyed) == nil)
  }
}
