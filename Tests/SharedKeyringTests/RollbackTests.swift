import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import SharedKeyring
import Testing

@Suite("A shared keyring whose engine was restored from a backup")
struct RollbackTests {
  let fleet: Fleet
  let here: TestMachine
  let restore: @Sendable () -> Void

  init() async throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    restore = fleet.engine.backup()
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    _ = try #require(await accounts.claim(Made.intent(), .forbidden))
    try accounts.store(Made.renewed(token: "R1"), .forbidden)
    try accounts.store(Made.account(Made.bob, named: "bob"), .forbidden)
  }

  private func expectRefusal() async throws {
    let accounts = try here.accounts()
    #expect(try accounts.fetch(Made.alice, .forbidden) == Made.record("alice"))
    await #expect(throws: KeyringFailure.rolledBack) { try await accounts.claim(Made.intent(), .forbidden) }
    #expect(throws: SharedAccountFailure.keyring(.rolledBack)) {
      try accounts.store(Made.renewed(token: "R2"), .forbidden)
    }
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("An older engine is read, and nothing is renewed or stored, until it is trusted")
  func older() async throws {
    restore()
    try await expectRefusal()
    // It was added after the backup; what this machine has is all that is left of it.
    #expect(try here.accounts().fetch(Made.bob, .forbidden) == Made.record("bob"))
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice, Made.bob])
    #expect(try await here.item(.refreshToken, of: Made.bob) == Secret("R0"))

    _ = try here.vault().sharedKeyring.trust(.forbidden)
    #expect(try !here.vault().sharedKeyring.report().isRolledBack)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    #expect(try here.accounts().fetchAll(.forbidden).accounts == [Made.alice])
    try here.accounts().store(Made.renewed(token: "R3"), .forbidden)
  }

  @Test("The first look after an engine was trusted returns every account, since the files here have to follow")
  func followed() async throws {
    restore()
    let shared = here.vault().sharedKeyring
    _ = try shared.trust(.forbidden)
    // A process that ends before the files are written leaves them to the next one.
    for _ in 0..<2 {
      #expect(try here.accounts().fetchAll(.forbidden).records == [Made.alice: Made.record("alice")])
    }
    try here.accounts().fetchAll(.forbidden).confirm()
    #expect(try here.accounts().fetchAll(.forbidden).records.isEmpty)
  }

  @Test("An engine that was restored and has passed the known revision since is noticed by an account")
  func overtaken() async throws {
    restore()
    fleet.engine.advance(by: 50)
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    await #expect(throws: KeyringFailure.rolledBack) { try await accounts.claim(Made.intent(), .forbidden) }
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R1"))
  }

  @Test("Another engine with the same objects renews and stores nothing until it is trusted")
  func another() async throws {
    fleet.engine.rename(to: "set up anew")
    try await expectRefusal()
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    try here.accounts().store(Made.renewed(token: "R2"), .forbidden)
  }

  @Test("An answer that waits while its engine is restored is stored once that is trusted")
  func pending() async throws {
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    _ = try #require(await accounts.claim(Made.intent(), .forbidden))
    fleet.engine.befall(.lostThenAway)
    #expect(throws: SharedAccountFailure.self) { try accounts.store(Made.renewed(token: "R2"), .forbidden) }
    fleet.engine.fail(with: nil)
    restore()
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    #expect(try here.vault().sharedKeyring.report().pending == [Made.alice])
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R2"))
    #expect(try here.vault().sharedKeyring.report().pending == [])
  }

  @Test("An answer that comes while its engine was restored is kept, and stored once that is trusted")
  func afterRestore() async throws {
    restore()
    #expect(throws: SharedAccountFailure.keyring(.rolledBack)) {
      try here.accounts().store(Made.renewed(token: "R2"), .forbidden)
    }
    #expect(try here.vault().sharedKeyring.report().pending == [Made.alice])
    #expect(try here.vault().sharedKeyring.report().copiesAlone == [Made.bob])
    _ = try here.vault().sharedKeyring.trust(.forbidden)
    _ = try here.accounts().fetch(Made.alice, .forbidden)
    #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R2"))
  }
}
