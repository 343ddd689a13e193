import AcctModel
import AcctPorts
import Synchronization

/// Writes limits down for many requests at once: of answers that come together the last one counts.
///
/// What is left of a limit changes with every answer, and writing it takes a lock and a file.
final class LatestLimits: Sendable {
  private let ledger: LimitsLedger
  private let writings = Coalescer<AccountID, Void>()
  private let latest = Mutex<[AccountID: [Origin: Answer]]>([:])

  private struct Answer {
    var fields: [(name: String, value: String)]
  }

  init(_ world: World) { ledger = LimitsLedger(world) }

  /// Remembers what a response told; returns when that, or what a later one told, is written.
  func learn(
    from fields: [(name: String, value: String)],
    of origin: Origin,
    for id: AccountID
  ) async {
    guard ledger.tells(fields, of: origin) else { return }
    latest.withLock { $0[id, default: [:]][origin] = Answer(fields: fields) }
    await writings.join(id) { [self] in
      for (origin, answer) in latest.withLock({ $0.removeValue(forKey: id) ?? [:] }) {
        await ledger.learn(from: answer.fields, of: origin, for: id)
      }
    }
  }
}
