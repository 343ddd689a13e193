import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import Glibc
import SharedKeyring
import Synchronization
import Testing
import Vault

@Suite("Making and joining a shared keyring")
struct JoiningTests {
  let fleet: Fleet

  init() throws { fleet = try Fleet() }

  private func machine(
    _ name: String,
    keyFile: String? = nil,
    passphraseFile: String? = nil,
    kernel: KernelKey = .refusing
  ) throws -> TestMachine {
    TestMachine(
      name,
      home: try fleet.folder.folder(name),
      keyFile: keyFile,
      passphraseFile: passphraseFile,
      engine: fleet.engine,
      kernel: kernel
    )
  }

  private func reason(_ body: () throws -> Void) -> String? {
    do { try body() } catch KeyringFailure.locked(let reason, _) { return reason } catch { return "\(error)" }
    return nil
  }

  @Test("A keyring that is there is joined by one that would make it")
  func twice() throws {
    let here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    let there = try fleet.machine("there")
    #expect(try there.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    #expect(try there.vault().sharedKeyring.settings() == Fleet.settings)
  }

  @Test("A keyring that no machine has made can't be joined")
  func nothing() throws {
    let here = try fleet.machine(apart: "here")
    try fleet.engine.store.prepare()
    #expect(throws: KeyringFailure.self) { try here.vault().sharedKeyring.join(Fleet.settings, .forbidden) }
    #expect(try here.vault().sharedKeyring.settings() == nil)
    #expect(throws: KeyringFailure.notJoined) { try here.accounts().fetchAll(.forbidden) }
  }

  @Test("A keyring of one passphrase is opened by it, and by no other passphrase or key")
  func passphrase() throws {
    let right = try fleet.folder.file("right", containing: "made up for this\n")
    let wrong = try fleet.folder.file("wrong", containing: "something else\n")
    let here = try machine("here", passphraseFile: right)
    try here.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try machine("there", passphraseFile: right).vault().sharedKeyring.join(Fleet.settings, .forbidden)
    let guesser = try machine("guesser", passphraseFile: wrong)
    #expect(
      reason { try guesser.vault().sharedKeyring.join(Fleet.settings, .forbidden) }
        == "the passphrase in \(wrong) is wrong"
    )
    let keyed = try machine("keyed", keyFile: fleet.keyFile)
    #expect(
      reason { try keyed.vault().sharedKeyring.join(Fleet.settings, .forbidden) }
        == "a passphrase opens this keyring, not the key in \(fleet.keyFile) "
        + "(no passphrase was given, and acct can't prompt for it)"
    )
  }

  @Test("A keyring that is left has its key in the kernel no more")
  func leftKey() throws {
    let kernel = InMemoryKernel()
    let file = try fleet.folder.file("passphrase", containing: "made up for this\n")
    let here = try machine("here", passphraseFile: file, kernel: kernel.keys)
    try here.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    #expect(kernel.kept.count == 1)
    _ = try here.vault().sharedKeyring.leave()
    #expect(kernel.kept.isEmpty)
  }

  @Test("A keyring of a key file is opened by the same 32 bytes alone, in a file of the user's own")
  func keyFile() throws {
    _ = try fleet.machine("here")
    let other = try fleet.folder.file("other", containing: [UInt8](repeating: 7, count: 32))
    let short = try fleet.folder.file("short", containing: [UInt8](repeating: 0x5A, count: 31))
    let long = try fleet.folder.file("long", containing: [UInt8](repeating: 0x5A, count: 33))
    let open = try fleet.folder.file("open", containing: [UInt8](repeating: 0x5A, count: 32))
    let isOpened = unsafe chmod(open, 0o640) == 0
    try #require(isOpened)
    let missing = "\(fleet.folder.path)/missing"
    let cases: [(String?, String)] = [
      (other, "the key in \(other) is not the keyring's"),
      (short, "\(short): a key has 32 bytes, this file 31"),
      (long, "\(long): a key has 32 bytes, this file 33"),
      (open, "\(open): its group or others can read or write it: run `chmod 600 \(open)`"),
      (missing, "\(missing): there is no such file"),
      (nil, "a key file opens this keyring, and ACCT_VAULT_KEY_FILE names none"),
    ]
    for (index, (file, expected)) in cases.enumerated() {
      let guesser = try machine("guesser\(index)", keyFile: file)
      #expect(
        reason { try guesser.vault().sharedKeyring.join(Fleet.settings, .forbidden) } == expected
      )
      #expect(try guesser.vault().sharedKeyring.settings() == nil)
    }
  }

  @Test("Two machines that make a keyring at once have one")
  func atOnce() throws {
    let (here, there) = (try fleet.machine(apart: "here"), try fleet.machine(apart: "there"))
    fleet.engine.interruptNextSwap { _ in try? there.vault().sharedKeyring.create(Fleet.settings, .forbidden) }
    try here.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try here.accounts().store(Made.account(), .forbidden)
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("A machine with copies of one keyring takes no other for it")
  func another() throws {
    let here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    let other = SharedKeyringSettings(engine: Fleet.settings.engine, name: "other")
    #expect(throws: KeyringFailure.self) { try here.vault().sharedKeyring.create(other, .forbidden) }
    _ = try here.vault().sharedKeyring.leave()
    try here.vault().sharedKeyring.create(other, .forbidden)
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [])
  }
}
