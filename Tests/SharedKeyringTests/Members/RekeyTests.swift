import AcctCrypto
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Synchronization
import Testing
import Vault

@Suite("A shared keyring whose key changes")
struct RekeyTests {
  let fleet: Fleet
  let here: TestMachine
  let there: TestMachine

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
  }

  private static let header = "/acct/main/header"

  /// A machine with a key of its own.
  private func joined(_ name: String) async throws -> TestMachine {
    let machine = TestMachine(name, home: try fleet.folder.folder(name), engine: fleet.engine)
    let code = Mutex("")
    let member = here
    machine.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await machine.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
    return machine
  }

  private var keyHolder: Seal? {
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    return fleet.engine.objects[Self.header].flatMap { header in
      Seal(
        header: header.bytes,
        keyFile: Secret([UInt8](repeating: 0x5A, count: 32)),
        entropy: entropy,
        check: { _ in nil }
      )
    }
  }

  @Test("Every object is sealed anew, and each machine reads and writes on")
  func anew() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    let former = try #require(keyHolder)
    let before = fleet.engine.objects
    #expect(try here.membership.rekey(Rekeying(), .forbidden) == Rekeyed(objects: 2))
    for (key, object) in fleet.engine.objects {
      #expect(object.bytes != before[key]?.bytes, "\(key)")
      guard key != Self.header else { continue }
      #expect(throws: Seal.Unopened.self, "\(key)") { try former.open(object.bytes, at: key) }
    }
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R0"))
    let accounts = try await there.claimant()
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A copy of before is still read while the engine is away")
  func offline() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    fleet.engine.fail(with: .unavailable(reason: "a test said so"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R0"))
    #expect(try await there.item(.refreshToken, of: Made.bob) == Secret("R0"))
  }

  @Test("A machine that slept through two changes goes on, and so does its answer that waits")
  func asleep() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    let accounts = try await there.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    for _ in 0..<2 { _ = try here.membership.rekey(Rekeying(), .forbidden) }
    #expect(try there.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
    let object = try #require(fleet.engine.objects["/acct/main/a/\(Made.alice)"])
    let seal = try #require(keyHolder)
    #expect(throws: Never.self) { try seal.open(object.bytes, at: object.key) }
  }

  @Test("A claim outlives the change, and its answer is stored under the new key")
  func inFlight() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    let accounts = try await there.claimant()
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    // A third one finds the lock, and waits.
    let third = try fleet.machine("third")
    _ = try third.accounts().fetch(Made.alice, .forbidden)
    third.cancelNextPause()
    await #expect(throws: KeyringFailure.timedOut) {
      _ = try await third.accounts().claim(Made.intent(), .forbidden)
    }
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A removed machine learns who removed it and when, and opens nothing that is written then")
  func removed() async throws {
    let lost = try await joined("lost")
    try lost.accounts().store(Made.account(), .forbidden)
    #expect(try here.membership.rekey(Rekeying(removing: "lost"), .forbidden).removed == "lost")
    let failure = KeyringFailure.removedMachine(by: "here", at: 1_800_000_000)
    #expect(throws: failure) { try lost.accounts().fetch(Made.alice, .forbidden) }
    await #expect(throws: failure) { try await lost.accounts().claim(Made.intent(), .forbidden) }
    #expect(throws: SharedAccountFailure.self) {
      try lost.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    }
    #expect(try here.membership.machines(.forbidden).map(\.name).contains("lost") == false)
    // The same command again, as after a kill: nothing is left to do.
    #expect(try here.membership.rekey(Rekeying(removing: "lost"), .forbidden).removed == "lost")
    #expect(throws: SharedMembershipFailure.noSuchMachine("other")) {
      _ = try here.membership.rekey(Rekeying(removing: "other"), .forbidden)
    }
  }

  @Test("What a removed machine writes with the former key is damage, also to a machine that saw the change begin")
  func formerKey() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    let former = try #require(keyHolder)
    let place = "/acct/main/a/\(Made.alice)"
    let seen = Mutex(false)
    let (watcher, engine) = (there, fleet.engine)
    // During the change `there` reads the header, with the former key still in it.
    engine.interruptNextSwap { _ in
      engine.interruptNextSwap { _ in
        let object = try? watcher.accounts().fetch(Made.alice, .forbidden)
        seen.withLock { $0 = object != nil }
      }
    }
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    #expect(seen.withLock { $0 })
    let planted = SharedObject(name: try Made.name("alice"), record: Made.record("alice"), generation: 90)
    engine.put(try former.sealed(planted, at: place), at: place)
    for machine in [here, there] {
      #expect(throws: KeyringFailure.damagedAccount(Made.alice, .formerKey)) {
        try machine.accounts().fetch(Made.alice, .forbidden)
      }
    }
  }

  @Test("A machine that has had the key file is not removed while that opens the keyring")
  func knowing() async throws {
    try there.accounts().store(Made.account(), .forbidden)
    #expect(throws: SharedMembershipFailure.knowsSecret(.keyFile, machine: "there")) {
      _ = try here.membership.rekey(Rekeying(removing: "there"), .forbidden)
    }
    let passphrase = try fleet.folder.file("new", containing: "another passphrase\n")
    let change = Rekeying(removing: "there", secret: .passphrase(file: passphrase))
    #expect(try here.membership.rekey(change, .forbidden).removed == "there")
    #expect(throws: KeyringFailure.self) { try there.accounts().fetch(Made.alice, .forbidden) }
    let after = TestMachine(
      "here",
      home: here.home,
      passphraseFile: passphrase,
      engine: fleet.engine
    )
    #expect(try after.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("Without passphrase and key file the machine that drops them has a key of its own")
  func dropped() async throws {
    let lost = try await joined("lost")
    try here.accounts().store(Made.account(), .forbidden)
    _ = try here.membership.rekey(Rekeying(removing: "lost", secret: .none), .forbidden)
    #expect(try here.membership.machines(.forbidden).map(\.recipient) == [.machine])
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(throws: KeyringFailure.self) { try there.accounts().fetch(Made.alice, .forbidden) }
    #expect(throws: KeyringFailure.self) { try lost.accounts().fetch(Made.alice, .forbidden) }
    #expect(throws: SharedMembershipFailure.thisMachine) {
      _ = try here.membership.rekey(Rekeying(removing: "here"), .forbidden)
    }
  }

  @Test("An earlier header that is put back renews nothing")
  func putBack() async throws {
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetchAll(.forbidden)
    let before = try #require(fleet.engine.objects[Self.header])
    _ = try here.membership.rekey(Rekeying(), .forbidden)
    _ = try there.accounts().fetch(Made.alice, .forbidden)
    fleet.engine.put(before.bytes, at: Self.header)
    await #expect(throws: KeyringFailure.rolledBack) {
      try await there.accounts().claim(Made.intent(), .forbidden)
    }
    #expect(throws: SharedMembershipFailure.keyring(.rolledBack)) {
      _ = try here.membership.rekey(Rekeying(), .forbidden)
    }
  }

  @Test("A keyring of the former form is read as before, and gets the new one with its key file or its passphrase")
  func raised() async throws {
    let key = Secret([UInt8](repeating: 0x5A, count: 32))
    let entropy = Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    let engine = InMemoryStore()
    try engine.store.prepare()
    _ = try engine.store.swap(Self.header, KeyFileHeader(of: key, entropy: entropy).serialized(), nil)
    let (one, two) = (
      TestMachine("one", home: try fleet.folder.folder("one"), keyFile: fleet.keyFile, engine: engine),
      TestMachine("two", home: try fleet.folder.folder("two"), keyFile: fleet.keyFile, engine: engine)
    )
    for machine in [one, two] { try machine.vault().sharedKeyring.join(Fleet.settings, .forbidden) }
    try one.accounts().store(Made.account(), .forbidden)
    _ = try two.accounts().fetchAll(.forbidden)
    #expect(throws: SharedMembershipFailure.formerForm) { try one.membership.machines(.forbidden) }
    let names = engine.objects.keys.filter { $0.hasPrefix("/acct/main/n/") }
    #expect(try one.membership.rekey(Rekeying(), .forbidden) == Rekeyed(objects: 2))
    #expect(engine.objects.keys.filter { $0.hasPrefix("/acct/main/n/") } == names)
    #expect(try await two.item(.refreshToken, of: Made.alice) == Secret("R0"))
    try two.accounts().store(Made.renewed(token: "R1"), .forbidden)
    #expect(try one.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await one.item(.refreshToken, of: Made.alice) == Secret("R1"))
    #expect(throws: SharedAccountFailure.nameTaken) {
      try two.accounts().store(Made.account(Made.bob, named: "alice"), .forbidden)
    }
  }

  @Test("A change that is killed at any of its calls is ended by the same command, and nothing is lost")
  func killed() async throws {
    let ids = (0..<6).map { number in AccountID(random: InlineArray(repeating: UInt8(0x10 + number))) }
    for (number, id) in ids.enumerated() {
      try here.accounts().store(Made.account(id, named: "a\(number)", token: "R\(number)"), .forbidden)
    }
    var calls = 0
    while true {
      // The swaps of one attempt: the header, twelve objects, the header.
      for _ in 0..<calls { fleet.engine.befall(.nothing) }
      fleet.engine.befall(calls % 2 == 0 ? .lostThenAway : .unansweredThenAway)
      let isKilled = (try? here.membership.rekey(Rekeying(), .forbidden)) == nil
      fleet.engine.fail(with: nil)
      let left = fleet.engine.clearMishaps()
      for (number, id) in ids.enumerated() {
        #expect(try there.accounts().fetch(id, .forbidden) == Made.record("a\(number)"), "after \(calls)")
        #expect(try await there.item(.refreshToken, of: id) == Secret("R\(number)"))
      }
      // After the first swap, and until the last one, there is a change to be ended.
      if isKilled, calls > 1, calls < 13 {
        #expect(try there.vault().sharedKeyring.report().isChangingKey, "after \(calls)")
      }
      guard isKilled || left == 0 else { break }
      _ = try here.membership.rekey(Rekeying(), .forbidden)
      #expect(try !there.vault().sharedKeyring.report().isChangingKey, "after \(calls)")
      calls += 1
    }
    #expect(calls >= 14)
  }
}
