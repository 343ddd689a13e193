import AcctPorts
import AcctTestSupport
import FleetPorts
import Glibc
import Testing

@Suite("A machine that a signal ends while it waits to be let in to a shared keyring")
struct InterruptedJoinTests {
  /// A machine that waits, and is ended.
  private func ended(by signal: Int32, _ fleet: Fleet) async throws -> Newcomer {
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name], isApart: false)
    let output = await newcomer.ended(by: signal)
    #expect(output.status == 3, "\(output.errorText)")
    #expect(output.errorText.hasSuffix("acct: cancelled; nothing was changed\n"), "\(output.errorText)")
    return newcomer
  }

  @Test(
    "It exits with 3, nothing of it stays on the engine, and its code is good no more",
    arguments: EngineKind.allCases,
    [SIGINT, SIGTERM, SIGHUP]
  )
  func withdrawn(_ kind: EngineKind, _ signal: Int32) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    let engine = try EngineOperator(of: fleet)
    defer { engine.end() }
    let before = try engine.store.changes(engine.root, 0).keys
    let newcomer = try await ended(by: signal, fleet)
    #expect(try engine.store.changes(engine.root, 0).keys == before)
    let approval = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    #expect(approval.status == 1, "\(approval.errorText)")
    #expect(approval.errorText.contains("no machine waits with this code"), "\(approval.errorText)")
    #expect(try await newcomer.home.acct("keyring").errorText.contains("no keyring has been chosen yet"))
  }

  @Test("It joins by another code afterwards", arguments: EngineKind.allCases)
  func again(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind, machines: 1)
    let former = try await ended(by: SIGINT, fleet)
    let newcomer = try await Newcomer(again: former, to: fleet.engine.place + ["--name", fleet.name])
    let approval = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    #expect(approval.status == 0, "\(approval.errorText)")
    try await newcomer.joined()
  }
}
