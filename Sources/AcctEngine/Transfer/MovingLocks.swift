import AcctModel
import AcctPorts
import Synchronization

/// The locks of several accounts at once, taken in the order of their identifiers: two moves can't wait for each other,
/// and every other command takes one account's lock alone.
final class MovingLocks: Sendable {
  private let files: Files
  private let held = Mutex<[AccountID: HeldLock]>([:])

  init(_ files: Files) { self.files = files }

  /// Takes the locks that are not held yet.
  func take(_ ids: some Sequence<AccountID>) async throws(EngineError) {
    let missing = Set(ids).subtracting(held.withLock { Set($0.keys) })
    for id in missing.sorted(by: { $0.description < $1.description }) {
      let lock: HeldLock
      do { lock = try await files.lock(.account(id), 120) } catch { throw .files(.failed(error)) }
      held.withLock { $0[id] = lock }
    }
  }

  /// Releases all of them.
  func release() {
    let locks = held.withLock { held in
      defer { held = [:] }
      return Array(held.values)
    }
    for lock in locks { lock.release() }
  }
}
