import AcctTestSupport
import Testing

/// `acct token` killed at random moments of a renewal, at a server that ends a session when a
/// refresh token is used twice.
@Suite("Killing a process")
struct KillTests {
  private static let kills = TestExtent.count(120, full: 1_000)
  /// Homes with a server each that run at once and independently.
  private static let lanes = 4

  @Test("A renewal killed at a random moment loses only an answer that was not yet written")
  func randomMoments() async throws {
    let tallies = try await withThrowingTaskGroup(of: KillTally.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask {
          let lane = try await KillLane(seed: UInt64(lane + 1))
          return try await lane.kill(Self.kills / Self.lanes)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let total = tallies.reduce(into: KillTally()) { $0.add($1) }
    print("killed in a renewal: \(total)")
    #expect(total.kills == Self.kills)
    // Kills that all came before the first request, or after the last write, would show nothing.
    #expect(total.answered > 0 && total.answered < total.kills)
  }
}

/// The results of the renewals that were killed.
struct KillTally: CustomStringConvertible {
  var kills = 0
  /// Those whose refresh token the server had used up.
  var answered = 0
  /// Those of them in which nothing of the answer had been written.
  var losses: Int64 = 0
  /// Temporary files that dead processes have left.
  var litter = 0

  mutating func add(_ other: KillTally) {
    kills += other.kills
    answered += other.answered
    losses += other.losses
    litter += other.litter
  }

  var description: String {
    "\(kills) kills, \(answered) of them after the server's answer, "
      + "\(losses) sessions lost between the answer and the first write, \(litter) temporary files"
  }
}
