import Secrets
import AcctPorts
import AcctTestSupport
import PrivateFiles
import SharedKeyring
import Synchronization
import Testing

@Suite("The right to renew an account that two machines share")
struct ClaimTests {
  let fleet: Fleet
  let (here, there): (TestMachine, TestMachine)

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    there = try fleet.machine("there")
    try here.accounts().store(Made.account(), .forbidden)
    _ = try there.accounts().fetch(Made.alice, .forbidden)
  }

  @Test("A machine that waits for another one's renewal gets its tokens, and no right of its own")
  func exclusion() async throws {
    let first = try await here.claimant()
    let second = try there.accounts()
    _ = try second.fetch(Made.alice, .forbidden)
    there.duringNextPause { try? first.store(Made.renewed(token: "R1"), .forbidden) }
    let claim = try await second.claim(Made.intent(), .forbidden)
    #expect(claim == nil)
    #expect(there.pauses == 1)
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A process claims nothing that another process of its machine has brought since it read the account")
  func broughtMeanwhile() async throws {
    let first = try here.accounts()
    _ = try first.fetch(Made.alice, .forbidden)
    try await there.claimant().store(Made.renewed(token: "R1"), .forbidden)
    _ = try here.accounts().fetchAll(.forbidden)
    let claim = try await first.claim(Made.intent(), .forbidden)
    #expect(claim == nil)
    _ = try first.fetch(Made.alice, .forbidden)
    _ = try #require(await first.claim(Made.intent(), .forbidden))
  }

  @Test("A record with the note of a renewal is seen by the other machine")
  func note() async throws {
    _ = try await here.claimant()
    let record = try there.accounts().fetch(Made.alice, .forbidden)
    #expect(record == Made.record("alice", note: "in flight"))
  }

  @Test("A dead process's right is taken over by its own machine without waiting")
  func deadOwner() async throws {
    _ = try await here.claimant()
    here.killLast()
    _ = try await here.claimant()
    #expect(here.pauses == 0)
  }

  @Test("A process's own right that it has lost sight of is taken again at once")
  func ownLock() async throws {
    let accounts = try await here.claimant()
    _ = try accounts.fetch(Made.alice, .forbidden)
    _ = try #require(await accounts.claim(Made.intent(), .forbidden))
    #expect(here.pauses == 0)
  }

  @Test("Another machine's right is taken over after its time by this machine's own clock")
  func takeover() async throws {
    _ = try await here.claimant()
    let before = there.state.withLock { $0.bootTime }
    _ = try await there.claimant()
    let waited = there.state.withLock { $0.bootTime } - before
    // 30 seconds for the request, and 15 more.
    #expect((45_000...46_000).contains(waited), "\(waited) ms")
  }

  @Test("A later process of a machine goes on counting where an earlier one stopped")
  func countedOn() async throws {
    _ = try await here.claimant()
    let first = try there.accounts()
    _ = try first.fetch(Made.alice, .forbidden)
    there.cancelNextPause()
    await #expect(throws: KeyringFailure.timedOut) { try await first.claim(Made.intent(), .forbidden) }
    there.advance(seconds: 44)
    let before = there.state.withLock { $0.bootTime }
    _ = try await there.claimant()
    let waited = there.state.withLock { $0.bootTime } - before
    #expect((1...1_000).contains(waited), "\(waited) ms")
  }

  @Test("A right counts anew after the engine was away: its owner may have an answer to store")
  func away() async throws {
    _ = try await here.claimant()
    let accounts = try there.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    there.duringNextPause {
      there.advance(seconds: 40)
      fleet.engine.fail(with: .noQuorum)
    }
    await #expect(throws: KeyringFailure.engine(.noQuorum)) { try await accounts.claim(Made.intent(), .forbidden) }
    #expect(try there.sightings.names() == [])
    fleet.engine.fail(with: nil)
    let before = there.state.withLock { $0.bootTime }
    _ = try await there.claimant()
    #expect(there.state.withLock { $0.bootTime } - before >= 45_000)
  }

  @Test("A right is waited for while its engine is away for less than the request may take")
  func shortlyAway() async throws {
    let holder = try await here.claimant()
    let accounts = try there.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    there.duringNextPause {
      fleet.engine.fail(with: .unavailable(reason: "it is started anew"))
      there.duringNextPause {
        there.duringNextPause {
          fleet.engine.fail(with: nil)
          try? holder.store(Made.renewed(token: "R1"), .forbidden)
        }
      }
    }
    let claim = try await accounts.claim(Made.intent(), .forbidden)
    #expect(claim == nil)
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("A right is not waited for without end where its engine comes and goes")
  func flapping() async throws {
    _ = try await here.claimant()
    let accounts = try there.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    let before = there.state.withLock { $0.bootTime }
    flap(2_000)
    await #expect(throws: KeyringFailure.engine(.noQuorum)) { try await accounts.claim(Made.intent(), .forbidden) }
    // 45 seconds for the right, and 30 for the engine.
    let waited = there.state.withLock { $0.bootTime } - before
    #expect((45_000...77_000).contains(waited), "\(waited) ms")
  }

  /// Lets the engine go away in each second pause, so many times, and come back in the next.
  private func flap(_ count: Int) {
    guard count > 0 else { return }
    there.duringNextPause { [self] in
      fleet.engine.fail(with: count.isMultiple(of: 2) ? .noQuorum : nil)
      flap(count - 1)
    }
  }

  @Test("A right allows sending while the request would end before others take over")
  func window() async throws {
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    let claim = try #require(await accounts.claim(Made.intent(), .forbidden))
    #expect(claim.maySend())
    here.advance(seconds: 13)
    #expect(claim.maySend())
    here.advance(seconds: 1)
    #expect(!claim.maySend())
  }

  @Test("A right whose swap was not answered is had all the same")
  func unanswered() async throws {
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    fleet.engine.befall(.unanswered)
    _ = try #require(await accounts.claim(Made.intent(), .forbidden))
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    fleet.engine.befall(.lost)
    await #expect(throws: KeyringFailure.engine(.timedOut)) { try await accounts.claim(Made.intent(), .forbidden) }
  }

  @Test("A right that another machine was faster to take is not had")
  func lostRace() async throws {
    let (one, two) = (try here.accounts(), try there.accounts())
    _ = try one.fetch(Made.alice, .forbidden)
    _ = try two.fetch(Made.alice, .forbidden)
    fleet.engine.interruptNextSwap { _ in try? one.store(Made.renewed(token: "R1"), .forbidden) }
    let claim = try await two.claim(Made.intent(), .forbidden)
    #expect(claim == nil)
    #expect(try await there.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }
}
