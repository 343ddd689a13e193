import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import Glibc
import PrivateFiles
import SharedKeyring
import Testing

/// What a server has given is stored, whatever the engine does.
@Suite("A server's answer for a shared account")
struct AnswerTests {
  let fleet: Fleet
  let (here, there): (TestMachine, TestMachine)

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetch(Made.alice, .forbidden)
  }

  private func token(_ machine: TestMachine) async throws -> Secret? {
    _ = try machine.accounts().fetch(Made.alice, .forbidden)
    return try await machine.item(.refreshToken, of: Made.alice)
  }

  private func isWaiting(_ machine: TestMachine) throws -> Bool {
    try !machine.vault().sharedKeyring.report().pending.isEmpty
  }

  @Test("An answer is stored in one step that takes the lock and the note out")
  func stored() async throws {
    let before = fleet.engine.calls.swaps
    let accounts = try await here.claimant()
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(fleet.engine.calls.swaps == before + 2)
    #expect(try await token(there) == Secret("R1"))
    // No lock is left to wait for.
    _ = try await there.claimant()
    #expect(there.pauses == 0)
    #expect(try !isWaiting(here))
  }

  @Test("An answer whose swap was made and not answered is stored once")
  func unanswered() async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(.unanswered)
    let before = fleet.engine.calls.swaps
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(fleet.engine.calls.swaps == before + 1)
    #expect(try await token(there) == Secret("R1"))
    #expect(try !isWaiting(here))
  }

  @Test("An answer is kept by a process that has never reached the engine")
  func neverReached() async throws {
    let accounts = try here.accounts()
    fleet.engine.fail(with: .unavailable(reason: "a test said so"))
    #expect(throws: SharedAccountFailure.keyring(.engine(.unavailable(reason: "a test said so")))) {
      try accounts.store(Made.renewed(token: "R1"), .forbidden)
    }
    fleet.engine.fail(with: nil)
    #expect(try isWaiting(here))
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    #expect(try await token(there) == Secret("R1"))
  }

  @Test("An answer that the engine does not take is stored by the next attempt of its process")
  func retried() async throws {
    let accounts = try await here.claimant()
    // From the second attempt on, the answer that waits goes first.
    let mishaps: [(InMemoryStore.Mishap, KeyringFailure)] = [
      (.lostThenAway, .engine(.timedOut)), (.unansweredThenAway, .answerWaits),
    ]
    for (mishap, failure) in mishaps {
      fleet.engine.befall(mishap)
      #expect(throws: SharedAccountFailure.keyring(failure)) {
        try accounts.store(Made.renewed(token: "R1"), .forbidden)
      }
      #expect(throws: SharedAccountFailure.keyring(.answerWaits)) {
        try accounts.store(Made.renewed(token: "R1"), .forbidden)
      }
      fleet.engine.fail(with: nil)
      #expect(try isWaiting(here))
    }
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try await token(there) == Secret("R1"))
    #expect(try !isWaiting(here))
  }

  @Test(
    "An answer that its process could not store is stored first by the next one on its machine",
    arguments: [InMemoryStore.Mishap.lostThenAway, .unansweredThenAway]
  )
  func pending(mishap: InMemoryStore.Mishap) async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(mishap)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    here.killLast()
    fleet.engine.fail(with: nil)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    #expect(try await token(here) == Secret("R1"))
    #expect(try await token(there) == Secret("R1"))
    #expect(try !isWaiting(here))
  }

  @Test(
    "An answer that comes while another one waits is stored, whether the engine has the first or not",
    arguments: [InMemoryStore.Mishap.lostThenAway, .unansweredThenAway]
  )
  func second(mishap: InMemoryStore.Mishap) async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(mishap)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    for token in ["R2", "R3"] {
      #expect(throws: SharedAccountFailure.keyring(.answerWaits)) {
        try here.accounts().store(Made.renewed(token: token), .forbidden)
      }
    }
    fleet.engine.fail(with: nil)
    #expect(try await token(here) == Secret("R3"))
    #expect(try await token(there) == Secret("R3"))
    #expect(try !isWaiting(here))
  }

  @Test("A sign-in that waits, and another one after it, leave another machine's lock where it is")
  func foreignLock() async throws {
    _ = try await there.claimant()
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    fleet.engine.befall(.lostThenAway)
    for token in ["S1", "S2"] {
      #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.account(token: token), .forbidden) }
    }
    fleet.engine.fail(with: nil)
    #expect(try await token(here) == Secret("S2"))
    #expect(try !isWaiting(here))
    let third = try fleet.machine("third")
    _ = try await third.claimant()
    #expect(third.pauses > 0)
  }

  @Test("A claim stores the answer that waits, and is not had")
  func claimStoresFirst() async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    let claim = try await here.accounts().claim(Made.intent(), .forbidden)
    #expect(claim == nil)
    #expect(try await token(there) == Secret("R1"))
  }

  @Test("An answer is stored over another machine's lock, which stays")
  func afterTakeover() async throws {
    let slow = try await here.claimant()
    there.advance(seconds: 1)
    let other = try await there.claimant()
    try slow.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
    // The other's own answer, to the token that it had read, is older than what is there.
    #expect(throws: SharedAccountFailure.superseded) { try other.store(Made.renewed(token: "R9"), .forbidden) }
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A sign-in on one machine is newer than an answer that another gets meanwhile")
  func signedInElsewhere() async throws {
    let renewing = try await here.claimant()
    let signingIn = try there.accounts()
    _ = try signingIn.fetch(Made.alice, .forbidden)
    try signingIn.store(Made.account(token: "S0"), .forbidden)
    #expect(throws: SharedAccountFailure.superseded) { try renewing.store(Made.renewed(token: "R1"), .forbidden) }
    #expect(try await token(here) == Secret("S0"))
    #expect(try !isWaiting(here))
  }

  @Test("A sign-in is stored over what a renewal on another machine has stored meanwhile")
  func signIn() async throws {
    let renewing = try await here.claimant()
    let signingIn = try there.accounts()
    _ = try signingIn.fetch(Made.alice, .forbidden)
    try renewing.store(Made.renewed(token: "R1"), .forbidden)
    try signingIn.store(Made.account(token: "S0"), .forbidden)
    #expect(try await token(here) == Secret("S0"))
  }

  @Test("An answer for an account that another machine has removed makes no account")
  func removed() async throws {
    let accounts = try await here.claimant()
    try there.accounts().remove(Made.alice, nil, .forbidden)
    #expect(throws: SharedAccountFailure.removed) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    #expect(try there.accounts().fetchAll(.forbidden).accounts == [])
    #expect(try !isWaiting(here))
  }

  @Test("An answer is stored although the keyring was locked after the request")
  func lockedMeanwhile() async throws {
    let file = try fleet.folder.file("file", containing: [UInt8](repeating: 0x5A, count: 32))
    let machine = TestMachine("here", home: here.home, keyFile: file, engine: fleet.engine)
    let accounts = try await machine.claimant()
    let away = unsafe unlink(file) == 0
    #expect(away)
    #expect(throws: KeyringFailure.self) { try machine.accounts().fetch(Made.alice, .forbidden) }
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    #expect(try await token(there) == Secret("R1"))
  }

  @Test("A keyring is not left while an answer waits on this machine")
  func leaving() async throws {
    let accounts = try await here.claimant()
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R1"), .forbidden) }
    fleet.engine.fail(with: nil)
    #expect(throws: KeyringFailure.answerWaits) { try here.vault().sharedKeyring.leave() }
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    _ = try here.vault().sharedKeyring.leave()
    // The identifier is no secret: others may have to know which machine has had the key file.
    #expect(try here.folder.names() == ["machine", "pending"])
    #expect(throws: KeyringFailure.notJoined) { try here.accounts().fetchAll(.forbidden) }
    #expect(try await token(there) == Secret("R1"))
  }
}
