import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import SharedKeyring
import Synchronization
import Testing

@Suite("What no key opens in a shared keyring")
struct UnopenedTests {
  let fleet: Fleet
  let here: TestMachine
  private let place = "/acct/main/a/\(Made.alice)"

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
  }

  /// Lets an answer wait on the machine, with the engine there again.
  private func answerWaits() async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
  }

  private var pending: PrivateFiles.PrivateFolder { here.folder.subfolder("pending") }
  private var setAside: PrivateFiles.PrivateFolder { here.folder.subfolder("unopened") }

  /// Changes the file of the answer that waits.
  private func damage(_ change: (inout [UInt8]) -> Void) throws {
    let name = Made.alice.description
    var contents = try #require(try pending.read(name, limit: 1 << 20))
    change(&contents)
    try pending.replace(name, contents.span, surviving: false)
  }

  @Test(
    "A file of this machine that a later version of acct has written is told as that, and stays",
    arguments: [
      ("settings.json", #""version":1"#, #""version":2"#), ("settings.json", #""engine":"etcd""#, #""engine":"later""#),
      ("machine", #""id""#, #""later":1,"id""#),
    ]
  )
  func later(file: String, known: String, later: String) async throws {
    let whole = String(decoding: try #require(try here.folder.read(file, limit: 1 << 16)), as: UTF8.self)
    try #require(whole.contains(known), "\(whole)")
    let changed = Array(whole.replacing(known, with: later).utf8)
    try here.folder.replace(file, changed.span, surviving: false)
    let failure = KeyringFailure.newer(part: here.folder.path(of: file))
    #expect(throws: failure) {
      let keyring = here.vault().sharedKeyring
      // Settings are joined anew over others; the note of the machine is read there.
      if file == "machine" { try keyring.join(Fleet.settings, .forbidden) } else { _ = try keyring.report() }
    }
    #expect(try here.folder.read(file, limit: 1 << 16) == changed)
  }

  @Test("An answer that a later version of acct has left to be stored is told as that, and not set aside")
  func laterAnswer() async throws {
    try await answerWaits()
    try damage { $0["acct-pending".utf8.count] = 2 }
    let failure = KeyringFailure.newer(part: pending.path(of: Made.alice.description))
    let accounts = try here.accounts()
    await #expect(throws: failure) { try await accounts.claim(Made.intent(), .forbidden) }
    #expect(try pending.read(Made.alice.description, limit: 1 << 20) != nil)
  }

  @Test("An account whose object does not open is counted by trust, and its good copy stays")
  func object() async throws {
    fleet.engine.put(Array("no object of acct's".utf8), at: place)
    fleet.engine.rename(to: "set up anew")
    let unopened = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(unopened == .init(accounts: [Made.alice]))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    // The damage is told of, and not a restored engine, which was accepted.
    #expect(throws: KeyringFailure.damagedAccount(Made.alice, .notAnObject)) {
      try here.accounts().fetch(Made.alice, .forbidden)
    }
  }

  @Test("An answer that waits is stored over an object that does not open, once that is trusted")
  func overObject() async throws {
    try await answerWaits()
    fleet.engine.put(Array("no object of acct's".utf8), at: place)
    fleet.engine.rename(to: "set up anew")
    #expect(try here.vault().sharedKeyring.trust(.forbidden).answers.isEmpty)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test(
    "An answer that does not open keeps its account from being changed until trust sets it aside",
    arguments: [true, false]
  )
  func trusted(isFile: Bool) async throws {
    try await answerWaits()
    try damage { contents in
      if isFile { contents = Array("damaged".utf8) } else { contents[contents.count - 1] ^= 1 }
    }
    let path = pending.path(of: Made.alice.description)
    #expect(throws: KeyringFailure.answerUnopened(path: path)) { try here.accounts().fetch(Made.alice, .forbidden) }
    let kept = setAside.path(of: Made.alice.description)
    let unopened = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(unopened == .init(answers: [Made.alice: kept]))
    #expect(try pending.names() == [])
    #expect(try setAside.names() == [Made.alice.description])
    #expect(try here.accounts().fetch(Made.alice, .forbidden) != nil)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
  }

  @Test("A second answer that does not open is set aside beside the first")
  func twice() async throws {
    for number in 1...2 {
      try await answerWaits()
      try damage { $0 = Array("damaged \(number)".utf8) }
      _ = try here.vault().sharedKeyring.trust(.forbidden)
      // The lock of the process that had the answer is gone with it.
      here.killLast()
      here.advance(seconds: 60)
    }
    let name = Made.alice.description
    #expect(Set(try setAside.names()) == [name, "\(name)-2"])
  }

  @Test("A machine whose note of itself is damaged leaves, and can join again")
  func leftDamaged() throws {
    try here.folder.replace("machine", Array("damaged".utf8).span)
    #expect(throws: KeyringFailure.self) { try here.vault().sharedKeyring.join(Fleet.settings, .forbidden) }
    _ = try here.vault().sharedKeyring.leave()
    try here.vault().sharedKeyring.join(Fleet.settings, .forbidden)
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("A machine that was removed leaves, and an answer that it can't store any more is set aside")
  func leftAfterRemoval() async throws {
    let code = Mutex("")
    let lost = TestMachine("lost", home: try fleet.folder.folder("lost"), engine: fleet.engine)
    let member = here
    lost.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await lost.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
    let accounts = try await lost.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    _ = try here.membership.rekey(Rekeying(removing: "lost"), .forbidden)
    let unopened = try lost.vault().sharedKeyring.leave()
    #expect(unopened.answers.keys.first == Made.alice)
    #expect(lost.membership.ownItem() == nil)
  }

  @Test("A keyring is left although an answer does not open any more, which is set aside")
  func left() async throws {
    try await answerWaits()
    try damage { $0[$0.count - 1] ^= 1 }
    let unopened = try here.vault().sharedKeyring.leave()
    #expect(unopened.answers == [Made.alice: setAside.path(of: Made.alice.description)])
    #expect(throws: KeyringFailure.notJoined) { try here.accounts().fetchAll(.forbidden) }
  }
}
