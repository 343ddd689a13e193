import AcctModel
import AcctPorts
import Synchronization

/// Writes limits down for many requests at once: of answers that come together the last one counts.
///
/// What is left of a limit changes with every answer, and writing it takes a lock and a file. So a process that serves
/// for days writes the first answer's at once, and then the latest once a second.
final class LatestLimits: Sendable {
  private let world: World
  private let ledger: LimitsLedger
  private let rests: Bool
  private let writings = Coalescer<AccountID, Void>()
  private let state = Mutex(State())

  private struct State {
    var latest: [AccountID: [Origin: [RateLimit]]] = [:]
    /// What was written within the last second, and the wait for its end.
    var resting: [AccountID: Task<Void, Never>?] = [:]
  }

  /// - Parameters:
  ///   - world: Everything outside.
  ///   - rests: Whether a second passes from one write to the next; then ``end()`` is to be called.
  init(_ world: World, rests: Bool = false) {
    self.world = world
    ledger = LimitsLedger(world)
    self.rests = rests
  }

  /// Remembers what a response told.
  ///
  /// It returns when that, or what a later one told, is written, unless that is for later. The secrets that no name
  /// may repeat are those that are held now: later they may be forgotten.
  func learn(from fields: [(name: String, value: String)], of origin: Origin, for id: AccountID) async {
    // Most answers tell of none.
    guard fields.contains(where: { $0.name.mayTellOfLimits }) else { return }
    let told = ledger.read(fields, of: origin)
    guard !told.isEmpty else { return }
    let isTime = state.withLock { state in
      state.latest[id, default: [:]][origin] = told
      guard rests else { return true }
      guard state.resting[id] == nil else { return false }
      state.resting[id] = .some(nil)
      return true
    }
    guard isTime else { return }
    await write(id)
    if rests { rest(id) }
  }

  /// Writes what is not written yet, and waits for nothing any more.
  func end() async {
    let (waits, ids) = state.withLock { state in
      defer { state.resting = [:] }
      return (state.resting.values.compactMap(\.self), Array(state.latest.keys))
    }
    for wait in waits { wait.cancel() }
    for id in ids { await write(id) }
  }

  private func write(_ id: AccountID) async {
    await writings.join(id) { [self] in
      for (origin, told) in state.withLock({ $0.latest.removeValue(forKey: id) ?? [:] }) {
        await ledger.learn(told, of: origin, for: id)
      }
    }
  }

  /// Waits a second, and then writes what has come meanwhile, until nothing has.
  private func rest(_ id: AccountID) {
    let wait = Task {
      while true {
        await world.clock.rest()
        let isNews = state.withLock { state in
          if state.latest[id] != nil, !Task.isCancelled { return true }
          state.resting[id] = nil
          return false
        }
        guard isNews else { return }
        await write(id)
      }
    }
    state.withLock { state in
      if state.resting[id] != nil { state.resting[id] = .some(wait) }
    }
  }
}

extension String {
  /// Whether it can be the name of a field that ``RateLimitFields`` reads.
  fileprivate var mayTellOfLimits: Bool {
    guard utf8.count >= 9, let first = utf8.first, "RXrx".utf8.contains(first) else { return false }
    let name = lowercased()
    return name.hasPrefix("ratelimit") || name.hasPrefix("x-ratelimit-") || name == "retry-after"
  }
}
