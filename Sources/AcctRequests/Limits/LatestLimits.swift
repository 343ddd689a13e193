import AcctModel
import AcctPorts
import Synchronization
import AcctEngine

/// Stores the limits from many concurrent requests: of simultaneous answers the last one counts.
///
/// The remaining quota changes with every answer, and storing it takes a lock and a file. So a long-running process
/// stores the first answer's at once, and then the latest once a second.
final class LatestLimits: Sendable {
  private let world: World
  private let ledger: LimitsLedger
  private let rests: Bool
  private let writings = Coalescer<AccountID, Void>()
  private let state = Mutex(State())

  private struct State {
    var latest: [AccountID: [Origin: [RateLimit]]] = [:]
    /// The accounts written within the last second, with the wait for its end.
    var resting: [AccountID: Task<Void, Never>?] = [:]
  }

  /// - Parameters:
  ///   - world: Everything outside.
  ///   - rests: `true` to wait a second between two writes; then ``end()`` must be called.
  init(_ world: World, rests: Bool = false) {
    self.world = world
    ledger = LimitsLedger(world)
    self.rests = rests
  }

  /// Stores the limits from a response.
  ///
  /// It returns when they, or later ones, are written, unless that is deferred. They are redacted by the secrets that
  /// are held now: later these may be forgotten.
  func learn(from fields: [(name: String, value: String)], of origin: Origin, for id: AccountID) async {
    // Most responses name no limit.
    guard fields.contains(where: { $0.name.mayTellOfLimits }) else { return }
    let told = ledger.read(fields, of: origin)
    guard !told.isEmpty else { return }
    let isTime = state.withLock { state in
      state.latest[id, default: [:]][origin, default: []].take(told)
      guard rests else { return true }
      guard state.resting[id] == nil else { return false }
      state.resting[id] = .some(nil)
      return true
    }
    guard isTime else { return }
    await write(id)
    if rests { rest(id) }
  }

  /// Writes everything that is pending, and stops waiting.
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

  /// Waits a second, and then writes what has arrived meanwhile, until nothing has.
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
  /// `true` if it can be the name of a field that ``RateLimitFields`` reads.
  fileprivate var mayTellOfLimits: Bool {
    guard utf8.count >= 9 else { return false }
    let letters = Array("limit".utf8)
    var found = 0
    for byte in utf8 {
      // No letter is in "limit" twice in a row, so that a mismatch begins anew.
      let letter = byte | 0x20
      found = letter == letters[found] ? found + 1 : letter == letters[0] ? 1 : 0
      if found == letters.count { return true }
    }
    return lowercased() == "retry-after"
  }
}
