package import AcctModel
package import Secrets
package import AcctPorts
import Synchronization

/// What machines share in a test: accounts with versions, changed by compare-and-swap as on a real engine.
package final class InMemorySharedEngine: Sendable {
  /// An account as the engine has it.
  package struct Stored: Sendable {
    package var name: AccountName
    package var record: [UInt8]
    package var items: [ItemKind: Secret]
    /// The machine that renews it.
    package var owner: String?
    var version: Int
  }

  private struct State {
    var accounts: [AccountID: Stored] = [:]
    var removed: [RemovedAccount] = []
    var revision = 0
    var outage: SharedStoreFailure?
    var calls: [String] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
    var interruptions: [String: @Sendable () -> Void] = [:]
  }
  private let state = Mutex(State())

  package init() {}

  /// What it has.
  package var accounts: [AccountID: Stored] { state.withLock { $0.accounts } }

  /// The traces of removals.
  var removed: [RemovedAccount] { state.withLock { $0.removed } }
  func note(_ removal: RemovedAccount) { state.withLock { $0.removed.append(removal) } }

  /// The calls of all machines since the last ``forgetCalls``: `fetch`, `fetchAll`, `claim`, `store`, `remove`.
  package var calls: [String] { state.withLock { $0.calls } }
  package func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Makes every call fail from now on, or none any more.
  package func fail(with failure: SharedStoreFailure?) { state.withLock { $0.outage = failure } }

  /// Does something once, when a call of that name begins, as another machine might.
  package func interruptNext(_ call: String, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruptions[call] = action }
  }

  /// Puts an account there, as another machine has stored it.
  package func plant(_ id: AccountID, _ name: String, record: String, _ items: [ItemKind: Secret]) throws {
    let stored = Stored(name: try AccountName(name), record: Array(record.utf8), items: items, owner: nil, version: 0)
    _ = swap(id, to: stored, ifVersion: nil)
  }

  /// Changes every account, as another machine does without a claim.
  package func change(_ body: (inout Stored) -> Void) {
    state.withLock { state in
      for id in state.accounts.keys {
        guard var stored = state.accounts[id] else { continue }
        body(&stored)
        state.revision += 1
        stored.version = state.revision
        state.accounts[id] = stored
      }
    }
  }

  /// Lets the time of every claim pass: the next machine takes it over.
  package func expireClaims() {
    state.withLock { state in
      for id in state.accounts.keys { state.accounts[id]?.owner = nil }
    }
    wake()
  }

  func begin(_ call: String) throws(SharedStoreFailure) {
    state.withLock { state in
      state.calls.append(call)
      return state.interruptions.removeValue(forKey: call)
    }?()
    try reach()
  }

  func reach() throws(SharedStoreFailure) {
    if let outage = state.withLock({ $0.outage }) { throw outage }
  }

  func get(_ id: AccountID) -> Stored? { state.withLock { $0.accounts[id] } }

  func isTaken(_ name: AccountName, besides id: AccountID) -> Bool {
    state.withLock { state in state.accounts.contains { $0.key != id && $0.value.name == name } }
  }

  /// Returns the new version, or `nil` where the account has another version by now.
  func swap(_ id: AccountID, to stored: Stored?, ifVersion version: Int?) -> Int? {
    let new: Int? = state.withLock { state in
      guard state.accounts[id]?.version == version else { return nil }
      state.revision += 1
      var stored = stored
      stored?.version = state.revision
      state.accounts[id] = stored
      return state.revision
    }
    if new != nil { wake() }
    return new
  }

  /// Waits until something has changed, unless another machine has let go of the account by now.
  func wait(for id: AccountID, besides machine: String) async {
    await withCheckedContinuation { caller in
      let goesOn = state.withLock { state in
        let owner = state.accounts[id]?.owner
        guard let owner, owner != machine else { return true }
        state.waiting.append(caller)
        return false
      }
      if goesOn { caller.resume() }
    }
  }

  private func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for caller in waiting { caller.resume() }
  }
}
