import AcctTestSupport
import Glibc
import Testing

/// Every system call of a command fails once, in every way that it can.
///
/// `make torture` tries every fault at every call, in `TORTURE_LANES` homes at once (4); otherwise
/// it is a sample, always the same. `ACCT_TORTURE` is `full`, or a part of the name of the ordeals
/// that are wanted in full.
@Suite("System calls that fail")
struct TortureTests {
  private static let selection = variable("ACCT_TORTURE")
  private static let isFull = selection != nil
  private static let lanes = isFull ? variable("TORTURE_LANES").flatMap(Int.init) ?? 4 : 2

  @Test("A system call that fails in any command on a vault loses and confuses nothing")
  func vault() async throws { try await torture(Ordeal.all, "vault") { try await TortureScene() } }

  @Test("A system call that fails in any command on a GNOME Keyring loses and confuses nothing")
  func secretService() async throws {
    // The keyring is no part of the home, and never empty.
    let ordeals = Ordeal.all.filter { $0.isInUse && (Self.isFull || !$0.isSlow) }
    try await torture(ordeals, "secret-service") { try await TortureScene(in: try GnomeKeyring()) }
  }

  private func torture(_ ordeals: [Ordeal], _ keyring: String, _ scene: () async throws -> TortureScene) async throws {
    var lanes: [TortureLane] = []
    for _ in 0..<Self.lanes { lanes.append(try TortureLane(try await scene())) }
    for ordeal in ordeals
    where Self.selection.map({ $0 == "full" || ordeal.name.contains($0) }) ?? true {
      let points = try await lanes[0].points(of: ordeal)
      let chosen = Self.injections(at: points, ordeal)
      let injections = Injections(chosen)
      print("\(ordeal.name) (\(keyring)): \(chosen.count) faults at \(points.count) calls")
      var tally = try await withThrowingTaskGroup(of: TortureTally.self) { group in
        for lane in lanes {
          group.addTask {
            var lane = lane
            return try await lane.torture(ordeal, by: injections)
          }
        }
        return try await group.reduce(into: TortureTally()) { $0.add($1) }
      }
      tally.points = Set(chosen.map(\.point)).count
      print("tortured \(ordeal.name) (\(keyring)), of \(points.count) calls: \(tally)")
      // Faults that mostly miss would show nothing.
      #expect(tally.unmet * 4 < tally.faults, "\(ordeal.name)")
      #expect(tally.kills > 0 && tally.errors > 0, "\(ordeal.name)")
      #expect(ordeal.losesSessions || tally.lost.isEmpty, "\(ordeal.name)")
    }
  }

  private static func injections(at points: [FaultPoint], _ ordeal: Ordeal) -> [Injection] {
    guard !isFull else { return points.flatMap { point in point.faults.map { Injection(point: point, fault: $0) } } }
    // Most calls only look, and would crowd out those that change something.
    let looking = evenly(ordeal.sample / 4, of: points.filter(\.onlyLooks))
    let changing = evenly(ordeal.sample * 3 / 4, of: points.filter { !$0.onlyLooks })
    // Each kind of fault has its turn.
    return [looking, changing].flatMap { chosen in
      chosen.enumerated().map { place, point in
        Injection(point: point, fault: point.faults[place % point.faults.count])
      }
    }
  }

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  private static func evenly(_ count: Int, of all: [FaultPoint]) -> [FaultPoint] {
    (0..<min(count, all.count)).map { all[$0 * all.count / min(count, all.count)] }
  }
}
