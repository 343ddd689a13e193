import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import Secrets
import SharedKeyring
import Testing

/// Which header of the engine a machine follows, and with what it opens it.
@Suite("Following a shared keyring's change of key")
struct FollowingTests {
  let fleet: Fleet
  let here: TestMachine
  let there: TestMachine

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
  }

  private static let header = "/acct/main/header"

  /// A machine as it is after its user has given it other means.
  private func machine(
    _ machine: TestMachine,
    keyFile: String? = nil,
    passphraseFile: String? = nil
  ) -> TestMachine {
    TestMachine(
      machine.name,
      home: machine.home,
      keyFile: keyFile,
      passphraseFile: passphraseFile,
      engine: machine.engine
    )
  }

  private func newKeyFile() throws -> String {
    try fleet.folder.file("new", containing: [UInt8](repeating: 0x6B, count: 32))
  }

  private func expectAccount(on machine: TestMachine) async throws {
    #expect(try machine.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await machine.item(.refreshToken, of: Made.alice) == Secret("R0"))
  }

  @Test("A header of a machine that had an earlier key alone is not followed, over one change of the key or several")
  func forged() async throws {
    // What one that is removed can do: it has the files and the keys of before, and an engine of its own.
    let fork = InMemoryStore()
    try fork.store.prepare()
    for object in fleet.engine.objects.values { fork.put(object.bytes, at: object.key) }
    fork.advance(by: 1_000)
    let lost = TestMachine("here", home: try fleet.folder.folder("lost"), keyFile: fleet.keyFile, engine: fork)
    try lost.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    try await expectAccount(on: there)
    for _ in 0..<3 {
      _ = try lost.membership.rekey(Rekeying(), .forbidden)
      let forged = try #require(fork.objects[Self.header])
      let real = try #require(fleet.engine.objects[Self.header])
      fleet.engine.put(forged.bytes, at: Self.header)
      #expect(throws: SharedAccountFailure.self) {
        try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
      }
      await #expect(throws: KeyringFailure.self) { try await there.accounts().claim(Made.intent(), .forbidden) }
      fleet.engine.put(real.bytes, at: Self.header)
    }
    #expect(fleet.engine.objects["/acct/main/a/\(Made.bob)"] == nil)
    try await expectAccount(on: there)
  }

  @Test("An object that was read before the key changed, and is opened after it, is read once more")
  func staleReads() async throws {
    let (engine, member) = (fleet.engine, here)
    /// Lets the whole change come between the read of an object and that of the header.
    func changeAfterNextRead() {
      engine.interruptNextGet { _ in
        engine.interruptNextGet { next in
          guard next == Self.header else { return }
          _ = try? member.membership.rekey(Rekeying(), .forbidden)
        }
      }
    }
    changeAfterNextRead()
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    // A listing is one call, and the header's the next.
    try here.accounts().store(Made.renewed(token: "R1"), .forbidden)
    engine.interruptNextGet { _ in _ = try? member.membership.rekey(Rekeying(), .forbidden) }
    #expect(try there.accounts().fetchAll(.forbidden).records == [Made.alice: Made.record("alice")])
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
    changeAfterNextRead()
    #expect(try there.vault().sharedKeyring.inspect(.forbidden).damaged.isEmpty)
    try there.accounts().remove(Made.alice, nil, .forbidden)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == nil)
  }

  @Test("A machine that slept through more changes than a header proves takes it when it is told to")
  func longAsleep() async throws {
    for _ in 0..<129 { _ = try here.membership.rekey(Rekeying(), .forbidden) }
    await #expect(throws: KeyringFailure.self) { try await there.accounts().claim(Made.intent(), .forbidden) }
    _ = try there.vault().sharedKeyring.trust(.forbidden)
    try await expectAccount(on: there)
    // One more than the header has room for.
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    try await expectAccount(on: there)
  }

  @Test("A machine that gets the new key file or passphrase goes on, with what it has on its disk")
  func newSecret() async throws {
    let accounts = try await there.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    let keyFile = try newKeyFile()
    let passphrase = try fleet.folder.file("passphrase", containing: "another passphrase\n")
    _ = try here.membership.rekey(Rekeying(secret: .keyFile(keyFile)), .forbidden)
    await #expect(throws: KeyringFailure.self) { try await there.accounts().claim(Made.intent(), .forbidden) }
    let keyed = machine(here, keyFile: keyFile)
    _ = try keyed.membership.rekey(Rekeying(secret: .passphrase(file: passphrase)), .forbidden)
    let later = machine(there, passphraseFile: passphrase)
    #expect(try later.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await later.item(.refreshToken, of: Made.alice) == Secret("R1"))
    #expect(try machine(here, passphraseFile: passphrase).accounts().fetch(Made.alice, .forbidden) != nil)
  }

  @Test("The new key file opens no header that goes on from nothing that this machine has")
  func newSecretForged() async throws {
    let keyFile = try newKeyFile()
    let other = InMemoryStore()
    let stranger = TestMachine("here", home: try fleet.folder.folder("other"), keyFile: keyFile, engine: other)
    try stranger.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    let forged = try #require(other.objects[Self.header])
    fleet.engine.put(forged.bytes, at: Self.header)
    let later = machine(there, keyFile: keyFile)
    let own = try there.folder.read("header", limit: 65_536)
    #expect(throws: KeyringFailure.self) { try later.accounts().fetch(Made.alice, .forbidden) }
    #expect(try there.folder.read("header", limit: 65_536) == own)
  }

  @Test("What a person enters is tried on this machine's own header, whatever the engine shows")
  func typed() async throws {
    let file = try fleet.folder.file("passphrase", containing: "made up for this\n")
    let engine = InMemoryStore()
    let maker = TestMachine("maker", home: try fleet.folder.folder("maker"), passphraseFile: file, engine: engine)
    try maker.vault().sharedKeyring.create(Fleet.settings, .forbidden)
    try maker.accounts().store(Made.account(), .forbidden)
    let header = try #require(engine.objects[Self.header])
    let text = try #require(String(validating: header.bytes, as: UTF8.self))
    let forged = text.replacing("\"epoch\":2", with: "\"epoch\":3")
    try #require(forged != text)
    engine.put(Array(forged.utf8), at: Self.header)
    func read(entering passphrase: String) async throws -> Secret? {
      let person = TestMachine("maker", home: maker.home, engine: engine, terminal: .answering(passphrase))
      return try await person.keyring().read(Made.alice, [.refreshToken], .allowed)[.refreshToken]
    }
    #expect(try await read(entering: "made up for this") == Secret("R0"))
    let wrong = KeyringFailure.locked(reason: "the passphrase is wrong", openedBy: .otherPassphrase(file: nil))
    await #expect(throws: wrong) {
      _ = try await read(entering: "something else")
    }
    // One that goes on from it is opened by the passphrase that is in force then.
    engine.put(header.bytes, at: Self.header)
    let next = try fleet.folder.file("next", containing: "made up after that\n")
    let change = Rekeying(secret: .passphrase(file: next))
    let other = TestMachine("other", home: try fleet.folder.folder("other"), passphraseFile: file, engine: engine)
    try other.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    _ = try other.membership.rekey(change, .forbidden)
    #expect(try await read(entering: "made up after that") == Secret("R0"))
  }

  @Test("A present secret that is given as a new one is refused, also where nothing else opens the keyring")
  func sameWhileLocked() throws {
    let locked = machine(here)
    #expect(throws: SharedMembershipFailure.sameSecret(.keyFile)) {
      _ = try locked.membership.rekey(Rekeying(secret: .keyFile(fleet.keyFile)), .forbidden)
    }
  }

  @Test("A change of the key file that is killed is ended with either file, and so is a removal with one")
  func killed() async throws {
    let keyFile = try newKeyFile()
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let changes = [Rekeying(secret: .keyFile(keyFile)), Rekeying(removing: "there", secret: .keyFile(keyFile))]
    for change in changes {
      for swaps in 0..<7 {
        for hasNew in [false, true] {
          let restore = fleet.engine.backup()
          let home = try await copy(of: here)
          let one = TestMachine("here", home: home, keyFile: fleet.keyFile, engine: fleet.engine)
          for _ in 0..<swaps { fleet.engine.befall(.nothing) }
          fleet.engine.befall(.unansweredThenAway)
          let isKilled = (try? one.membership.rekey(change, .forbidden)) == nil
          fleet.engine.fail(with: nil)
          _ = fleet.engine.clearMishaps()
          let again = machine(one, keyFile: hasNew ? keyFile : fleet.keyFile)
          if isKilled, swaps == 5, hasNew, change.removing == nil {
            // It was over: the only key file that there is is given as a new one.
            #expect(throws: SharedMembershipFailure.sameSecret(.keyFile)) {
              _ = try again.membership.rekey(change, .forbidden)
            }
          } else if isKilled {
            #expect(throws: Never.self, "after \(swaps)") { _ = try again.membership.rekey(change, .forbidden) }
          }
          if isKilled { try await expectAccount(on: machine(one, keyFile: keyFile)) }
          restore()
        }
      }
    }
  }

  private func copy(of machine: TestMachine) async throws -> String {
    let home = try fleet.folder.folder("copy-\(UInt64.random(in: .min ... .max))")
    let copied = try await ChildProcess("cp", ["-a", "\(machine.home)/.", home]).run()
    try #require(copied.status == 0, "\(copied.errorText)")
    return home
  }

  @Test("A new passphrase or key file that opens the keyring already is refused: who has it would still do so")
  func same() throws {
    #expect(throws: SharedMembershipFailure.sameSecret(.keyFile)) {
      _ = try here.membership.rekey(Rekeying(secret: .keyFile(fleet.keyFile)), .forbidden)
    }
    let file = try fleet.folder.file("passphrase", containing: "another passphrase\n")
    var keeping = ["keyfile-1"]
    _ = try here.membership.rekey(Rekeying(secret: .passphrase(file: file), keeping: keeping), .forbidden)
    for keeping in [[], keeping] {
      #expect(throws: SharedMembershipFailure.sameSecret(.passphrase)) {
        _ = try here.membership.rekey(Rekeying(secret: .passphrase(file: file), keeping: keeping), .forbidden)
      }
    }
    for number in 2...4 {
      let next = try fleet.folder.file("passphrase-\(number)", containing: "passphrase number \(number)\n")
      keeping.append("passphrase-\(number - 1)")
      _ = try here.membership.rekey(Rekeying(secret: .passphrase(file: next), keeping: keeping), .forbidden)
    }
    let fifth = try fleet.folder.file("fifth", containing: "one passphrase too many\n")
    #expect(throws: SharedMembershipFailure.tooManyPassphrases(4)) {
      _ = try here.membership.rekey(
        Rekeying(secret: .passphrase(file: fifth), keeping: keeping + ["passphrase-4"]),
        .forbidden
      )
    }
  }
}
