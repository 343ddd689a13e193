import AcctModel
import Secrets
package import AcctPorts
import Synchronization
import Testing

/// One machine's side of a keyring that machines share in a test.
///
/// As strict as the real one: it reads its copy, stores by compare-and-swap, keeps an answer that the engine does not
/// take, drops none because of a claim that has passed, and refuses to write items without their account.
package final class InMemorySharedKeyring: Sendable {
  private struct State {
    var copies: [AccountID: InMemorySharedEngine.Stored] = [:]
    var removed: [RemovedAccount] = []
    /// What the claim was made on, by account.
    var claims: [AccountID: InMemorySharedEngine.Stored] = [:]
    var pending: [AccountID: (account: SharedAccount, spent: InMemorySharedEngine.Stored?)] = [:]
    /// How many more questions whether to send are answered with a yes, and how many then with a no.
    var window: (yes: Int, no: Int) = (.max, 0)
  }
  private let state = Mutex(State())
  private let engine: InMemorySharedEngine
  private let machine: String

  package init(_ machine: String, on engine: InMemorySharedEngine) {
    self.machine = machine
    self.engine = engine
  }

  /// Whether an answer waits for the engine.
  package var hasPending: Bool { state.withLock { !$0.pending.isEmpty } }

  /// Lets the time to send pass after so many questions, for so many questions.
  package func closeWindow(after yes: Int, for no: Int) { state.withLock { $0.window = (yes, no) } }

  package func keyring(_ kind: Keyring.Kind) -> Keyring {
    Keyring(
      kind: kind,
      read: { id, kinds, _ throws(KeyringFailure) in
        var copy = self.state.withLock { $0.copies[id] }
        if copy == nil {
          try self.reach()
          copy = self.engine.get(id)
          self.keep(copy, as: id)
        }
        let items = copy?.items ?? [:]
        return items.filter { kinds.contains($0.key) }
      },
      write: { _, _, _ throws(KeyringFailure) in
        Issue.record("items of a shared keyring are stored with their account")
      },
      remove: { _, _, _ throws(KeyringFailure) in
        Issue.record("items of a shared keyring are stored with their account")
      },
      list: { () throws(KeyringFailure) in self.state.withLock { $0.copies.mapValues { Set($0.items.keys) } } },
      prepare: { _ throws(KeyringFailure) in try self.reach() },
      state: { (try? self.reach()) == nil ? .unavailable : .ready },
      accounts: SharedAccounts(
        fetch: { id, _ throws(KeyringFailure) in try self.fetch(id) },
        fetchAll: { _ throws(KeyringFailure) in try self.fetchAll() },
        store: { account, _ throws(SharedAccountFailure) in try self.store(account) },
        remove: { id, event, _ throws(KeyringFailure) in try self.remove(id, event) },
        claim: { intent, _ throws(KeyringFailure) in try await self.claim(intent) },
        holder: { name, _ throws(KeyringFailure) in self.engine.accounts.first { $0.value.name == name }?.key },
        removals: { _ in self.state.withLock { $0.removed } }
      )
    )
  }

  private func reach() throws(KeyringFailure) {
    do { try engine.reach() } catch { throw .engine(error) }
  }

  private func begin(_ call: String) throws(KeyringFailure) {
    do { try engine.begin(call) } catch { throw .engine(error) }
  }

  private func keep(_ stored: InMemorySharedEngine.Stored?, as id: AccountID) {
    state.withLock { $0.copies[id] = stored }
  }

  private func fetch(_ id: AccountID) throws(KeyringFailure) -> [UInt8]? {
    try begin("fetch")
    storePending(id)
    let stored = engine.get(id)
    keep(stored, as: id)
    return stored?.record
  }

  private func fetchAll() throws(KeyringFailure) -> SharedChanges {
    try begin("fetchAll")
    for id in state.withLock({ Array($0.pending.keys) }) { storePending(id) }
    let all = engine.accounts
    let changed = state.withLock { state in
      let changed = all.filter { state.copies[$0.key]?.version != $0.value.version }
      state.copies = all
      state.removed = engine.removed
      return changed
    }
    return SharedChanges(records: changed.mapValues(\.record), accounts: Set(all.keys))
  }

  private func store(_ account: SharedAccount) throws(SharedAccountFailure) {
    let claimed = state.withLock { $0.claims[account.id] }
    do { try engine.begin("store") } catch {
      let isNews = if case .unchanged = account.items { false } else { true }
      if isNews { state.withLock { $0.pending[account.id] = (account, claimed) } }
      throw .keyring(.engine(error))
    }
    state.withLock { _ = $0.pending.removeValue(forKey: account.id) }
    do throws(SharedAccountFailure) { try put(account, claimed) } catch {
      state.withLock { _ = $0.claims.removeValue(forKey: account.id) }
      throw error
    }
    state.withLock { _ = $0.claims.removeValue(forKey: account.id) }
  }

  private func storePending(_ id: AccountID) {
    guard let (account, spent) = state.withLock({ $0.pending.removeValue(forKey: id) }) else { return }
    state.withLock { _ = $0.claims.removeValue(forKey: id) }
    // What another machine has stored since is newer.
    try? put(account, spent)
  }

  /// Stores an account: on the copy, else on what the engine has, if that still has what was spent.
  private func put(_ account: SharedAccount, _ claimed: InMemorySharedEngine.Stored?) throws(SharedAccountFailure) {
    guard !engine.isTaken(account.name, besides: account.id) else { throw .nameTaken }
    var known = claimed ?? state.withLock { $0.copies[account.id] }
    while true {
      guard known != nil || account.items.isWhole else { throw .removed }
      let new = InMemorySharedEngine.Stored(
        name: account.name,
        record: account.record,
        items: account.items.applied(to: known?.items ?? [:]),
        owner: nil,
        version: 0
      )
      if engine.swap(account.id, to: new, ifVersion: known?.version) != nil {
        return keep(engine.get(account.id), as: account.id)
      }
      guard let current = engine.get(account.id) else {
        keep(nil, as: account.id)
        throw .removed
      }
      if let claimed, !claimed.spends(like: current) { throw .superseded }
      if claimed == nil, case .unchanged = account.items { throw .superseded }
      known = current
    }
  }

  private func remove(_ id: AccountID, _ event: AccountEvent?) throws(KeyringFailure) {
    try begin("remove")
    let name = engine.get(id)?.name
    state.withLock { state in
      state.copies[id] = nil
      state.claims[id] = nil
      _ = state.pending.removeValue(forKey: id)
    }
    while let current = engine.get(id), engine.swap(id, to: nil, ifVersion: current.version) == nil {
    }
    guard let name, let event else { return }
    engine.note(RemovedAccount(id: id, name: name, history: AccountHistory([event])))
    state.withLock { $0.removed = engine.removed }
  }

  private func claim(_ intent: RenewalIntent) async throws(KeyringFailure) -> RenewalClaim? {
    try begin("claim")
    let id = intent.account
    await engine.wait(for: id, besides: machine)
    try reach()
    guard var copy = state.withLock({ $0.copies[id] }), let current = engine.get(id), current.version == copy.version
    else {
      keep(engine.get(id), as: id)
      return nil
    }
    copy.record = intent.record
    copy.owner = machine
    guard engine.swap(id, to: copy, ifVersion: copy.version) != nil, let claimed = engine.get(id) else {
      keep(engine.get(id), as: id)
      return nil
    }
    keep(claimed, as: id)
    state.withLock { $0.claims[id] = claimed }
    return RenewalClaim { self.maySend() }
  }

  private func maySend() -> Bool {
    state.withLock { state in
      if state.window.yes > 0 {
        state.window.yes -= 1
        return true
      }
      guard state.window.no > 0 else { return true }
      state.window.no -= 1
      return false
    }
  }
}

extension InMemorySharedEngine.Stored {
  /// Whether what a renewal spends is the same in both.
  fileprivate func spends(like other: Self) -> Bool {
    [ItemKind.refreshToken, .session].allSatisfy { items[$0] == other.items[$0] }
  }
}

extension SharedAccount.Items {
  fileprivate var isWhole: Bool { if case .replacing = self { true } else { false } }

  fileprivate func applied(to items: [ItemKind: Secret]) -> [ItemKind: Secret] {
    let new = Dictionary(uniqueKeysWithValues: written.map { ($0.kind, $0.secret) })
    return isWhole ? new : items.merging(new) { $1 }
  }
}
