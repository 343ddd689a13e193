import AcctTestSupport
import Glibc
import Testing

/// Every system call of a command fails once, in every way that it can.
///
/// `make torture` tries every fault at every call. Otherwise each call gets one, each kind in its
/// turn.
@Suite("A system that fails")
struct TortureTests {
  private static let isFull = unsafe getenv("ACCT_TORTURE") != nil
  private static let lanes = 4

  @Test("at any call of a command on a vault loses and mixes up nothing", arguments: Ordeal.all)
  func vault(_ ordeal: Ordeal) async throws {
    try await torture(ordeal, in: "vault") { try await TortureScene() }
  }

  @Test(
    "at any call of a command on a GNOME Keyring loses and mixes up nothing",
    arguments: Ordeal.all.filter(\.isInUse)
  )
  func secretService(_ ordeal: Ordeal) async throws {
    try await torture(ordeal, in: "secret-service") {
      try await TortureScene(in: try GnomeKeyring())
    }
  }

  private func torture(
    _ ordeal: Ordeal,
    in keyring: String,
    _ scene: @escaping @Sendable () async throws -> TortureScene
  ) async throws {
    var first = try TortureLane(try await scene())
    let points = try await first.points(of: ordeal)
    let injections = Injections(Self.injections(at: points))
    var tally = try await withThrowingTaskGroup(of: TortureTally.self) { group in
      for _ in 0..<Self.lanes {
        group.addTask {
          var lane = try TortureLane(try await scene())
          return try await lane.torture(ordeal, by: injections)
        }
      }
      return try await group.reduce(into: TortureTally()) { $0.add($1) }
    }
    tally.points = points.count
    print("tortured \(ordeal.name) (\(keyring)): \(tally)")
    // Faults that mostly miss would show nothing.
    #expect(tally.unmet * 5 < tally.faults)
    #expect(tally.kills > 0 && tally.errors > 0)
    #expect(ordeal.name == Ordeal.renewing.name || tally.lost.isEmpty)
  }

  private static func injections(at points: [FaultPoint]) -> [Injection] {
    points.enumerated().flatMap { place, point in
      let faults = isFull ? point.faults : [point.faults[place % point.faults.count]]
      return faults.map { Injection(point: point, fault: $0) }
    }
  }
}
