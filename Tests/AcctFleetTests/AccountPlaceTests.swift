import AcctEngine
import AcctFleet
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import Testing

/// The seam between the core and the annex, on two machines.
@Suite("The place of accounts that machines share")
struct AccountPlaceTests {
  private let engine = InMemorySharedEngine()
  private let here = RecordedWorld()
  private let there = RecordedWorld()
  private let account: Account

  init() throws {
    account = Account(
      id: try AccountID("0badc0de-0000-4000-8000-000000000001"),
      name: try AccountName("alice"),
      kind: .oauth,
      tokenType: .bearer,
      identity: Identity(subject: "alice", issuer: nil, clientID: nil),
      source: .user,
      origins: OwnOrigins([try Origin("https://api.example")]),
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: true),
      recordedState: .signedIn,
      createdAt: try Timestamp("2026-01-15T08:00:00Z")
    )
    here.share(InMemorySharedKeyring("here", on: engine), number: 1)
    there.share(InMemorySharedKeyring("there", on: engine), number: 100)
  }

  private func context(_ machine: RecordedWorld, _ fleet: Fleet? = Fleet(.none)) -> EngineContext {
    EngineContext(machine.world(), .forbidden, timeout: 30, fleet: fleet) { _ in }
  }

  private func place(_ machine: RecordedWorld) throws -> any AccountPlace {
    try #require(try context(machine).sharedPlace())
  }

  @Test("It stores an account and its items in one step, and another machine pulls both")
  func stored() async throws {
    try place(here).store(account, .replacing([.init(.accessToken, Secret("opaque"))]))
    #expect(engine.calls == ["store"])
    #expect(try await place(there).pull().accounts == [account.id])
    let found = try #require(try context(there).accountStore.account(account.id))
    #expect(found.name == account.name)
    let items = try await CredentialStore(of: found, in: context(there)).items([.accessToken])
    #expect(items == [.accessToken: Secret("opaque")])
  }

  @Test("An account that another machine has removed is gone here at the next fetch, and named among the removed")
  func removed() async throws {
    try place(here).store(account, .replacing([.init(.accessToken, Secret("opaque"))]))
    try await place(there).pull()
    try place(here).remove(account.id)
    await #expect(throws: EngineError.removed(account)) { try await place(there).fetch(account) }
    #expect(there.accountFiles == 0)
    try await place(there).pull()
    #expect(try place(there).removals().map(\.id) == [account.id])
    #expect(try !place(there).has(account.id))
  }

  @Test("A claim on an account that has changed since it was read fails, and nothing may be sent")
  func claimed() async throws {
    try place(here).store(account, .replacing([.init(.accessToken, Secret("opaque"))]))
    try await place(there).pull()
    let maySend = try await place(there).claim(account)
    #expect(maySend())
    // Ends the claim.
    try place(there).store(account, .merging([.init(.accessToken, Secret("newer"))]))
    await #expect(throws: EngineError.keyring(.changedElsewhere(account.name))) {
      try await place(here).claim(account)
    }
  }

  @Test("A keyring of one machine has none, and neither has a command without the annex")
  func absent() throws {
    let context = context(here)
    #expect(context.place(in: context.world.secretService) == nil)
    #expect(context.place(in: context.world.sharedKeyring(.etcd)) != nil)
    #expect(try self.context(here, nil).sharedPlace() == nil)
    #expect(try self.context(RecordedWorld()).sharedPlace() == nil)
  }
}
