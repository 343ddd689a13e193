import Synchronization

/// Whether the process that a test stands for is still alive, and how many writes it has left.
///
/// A process that has died does nothing any more: every later operation fails, so that stored data
/// stays as it was at that moment, however the code handles the failure.
package final class Lifeline: Sendable {
  private let writesLeft = Mutex<Int?>(nil)

  package init() {}

  /// Lets so many writes happen, and dies at the next.
  package func die(afterWrites count: Int) { writesLeft.withLock { $0 = count } }

  /// Starts a new process on what the old one left.
  package func revive() { writesLeft.withLock { $0 = nil } }

  package var isAlive: Bool { writesLeft.withLock { ($0 ?? 0) >= 0 } }

  /// Whether a write happens, which uses it up.
  package func write() -> Bool {
    writesLeft.withLock { left in
      guard let count = left else { return true }
      left = max(count - 1, -1)
      return count > 0
    }
  }
}
