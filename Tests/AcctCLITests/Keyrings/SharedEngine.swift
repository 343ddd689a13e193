import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import FleetPorts
import Synchronization

/// An engine in memory that several recorded machines reach: one object for each account, unique names.
///
/// It holds nothing back: what the commands make of an engine is tested here, not the engine.
final class SharedEngine: Sendable {
  struct Stored: Equatable {
    var name: AccountName
    var record: [UInt8]
    var items: [ItemKind: Secret]
  }

  private struct State {
    var accounts: [AccountID: Stored] = [:]
    var failure: KeyringFailure?
    var callsLeft: Int?
    var forgets = false
    var isRolledBack = false
    var pending: [AccountID] = []
    var made: Set<String> = []
    var unlockedFor: Int?
  }

  private let state = Mutex(State())

  var accounts: [AccountID: Stored] { state.withLock { $0.accounts } }

  /// Makes every call fail from now on, or none any more.
  func fail(with failure: KeyringFailure?) { state.withLock { $0.failure = failure } }

  /// Lets so many calls succeed, and makes those after them fail.
  func fail(with failure: KeyringFailure, after calls: Int) {
    state.withLock {
      $0.failure = failure
      $0.callsLeft = calls
    }
  }

  /// Keeps the key that a person has opened for so many seconds.
  func unlock(for seconds: Int) { state.withLock { $0.unlockedFor = seconds } }

  /// Whether a call has failed since.
  var hasFailed: Bool { state.withLock { $0.callsLeft == 0 } }

  /// Loses an item of whatever is stored from now on.
  func forget() { state.withLock { $0.forgets = true } }

  func rollBack() { state.withLock { $0.isRolledBack = true } }

  /// Lets an answer for each account wait on the machine.
  func wait(for accounts: [AccountID]) { state.withLock { $0.pending = accounts } }

  /// Puts an account there, as another machine does.
  func put(_ account: Stored, as id: AccountID) { state.withLock { $0.accounts[id] = account } }

  /// Removes an account, as another machine does.
  func drop(_ id: AccountID) { state.withLock { $0.accounts[id] = nil } }

  private func use<Value: Sendable>(
    _ lifeline: Lifeline,
    _ body: (inout State) throws(KeyringFailure) -> Value
  ) throws(KeyringFailure) -> Value {
    guard lifeline.isAlive else { throw .engine(.unavailable(reason: "the process has died")) }
    return try state.withLock { state throws(KeyringFailure) in
      if let failure = state.failure {
        guard let left = state.callsLeft, left > 0 else { throw failure }
        state.callsLeft = left - 1
      }
      return try body(&state)
    }
  }

  /// The operations of one machine on the keyring as a whole.
  func port(_ settings: SettingsFile, _ lifeline: Lifeline) -> SharedKeyring {
    SharedKeyring(
      settings: { settings.value },
      create: { given, _ throws(KeyringFailure) in
        try self.use(lifeline) { state throws(KeyringFailure) in _ = state.made.insert(given.name) }
        settings.value = given
      },
      join: { given, _ throws(KeyringFailure) in
        try self.use(lifeline) { state throws(KeyringFailure) in
          guard state.made.contains(given.name) else {
            throw .engine(.notPrepared(reason: "there is no keyring \(given.name)"))
          }
        }
        settings.value = given
      },
      leave: { () throws(KeyringFailure) in
        guard self.state.withLock({ $0.pending.isEmpty }) else { throw .answerWaits }
        settings.value = nil
        return .init()
      },
      trust: { _ throws(KeyringFailure) in
        guard settings.value != nil else { throw .notJoined }
        try self.use(lifeline) { state throws(KeyringFailure) in state.isRolledBack = false }
        return .init()
      },
      report: { () throws(KeyringFailure) in
        // A locked one tells as much as its engine does without the key.
        let lock = self.state.withLock { $0.failure.flatMap { $0.isLocked ? $0 : nil } }
        let report = { (state: State) in
          SharedKeyring.Report(
            standing: .init(identifier: "cluster-1", revision: 9),
            isRolledBack: state.isRolledBack,
            accounts: state.accounts.count,
            pending: state.pending,
            lock: lock
          )
        }
        guard lock == nil else { return self.state.withLock { report($0) } }
        return try self.use(lifeline) { state throws(KeyringFailure) in report(state) }
      },
      pending: { self.state.withLock { $0.pending } },
      inspect: { _ throws(KeyringFailure) in try self.use(lifeline) { _ throws(KeyringFailure) in .init() } }
    )
  }

  /// What one machine reaches its accounts by.
  func keyring(_ kind: Keyring.Kind, _ settings: SettingsFile, _ lifeline: Lifeline) -> Keyring {
    @Sendable func joined() throws(KeyringFailure) {
      guard settings.value?.kind == kind else { throw .notJoined }
    }
    var keyring = Keyring(
      kind: kind,
      read: { account, kinds, _ throws(KeyringFailure) in
        try joined()
        return try self.use(lifeline) { state throws(KeyringFailure) in
          state.accounts[account]?.items.filter { kinds.contains($0.key) } ?? [:]
        }
      },
      write: { _, _, _ throws(KeyringFailure) in throw .failed(reason: "items go with accounts") },
      remove: { _, _, _ throws(KeyringFailure) in throw .failed(reason: "items go with accounts") },
      list: { () throws(KeyringFailure) in
        try joined()
        return try self.use(lifeline) { state throws(KeyringFailure) in
          state.accounts.mapValues { Set($0.items.keys) }
        }
      },
      prepare: { _ throws(KeyringFailure) in
        try joined()
        try self.use(lifeline) { _ throws(KeyringFailure) in }
      },
      state: {
        guard settings.value?.kind == kind else { return .unavailable }
        return self.state.withLock { state in
          switch state.failure {
          case nil: .ready
          case let failure?: failure.isLocked ? .locked : .unavailable
          }
        }
      },
      accounts: SharedAccounts(
        fetch: { id, _ throws(KeyringFailure) in
          try joined()
          return try self.use(lifeline) { state throws(KeyringFailure) in state.accounts[id]?.record }
        },
        fetchAll: { _ throws(KeyringFailure) in
          try joined()
          return try self.use(lifeline) { state throws(KeyringFailure) in
            var changes = SharedChanges(
              records: state.accounts.mapValues(\.record),
              accounts: Set(state.accounts.keys)
            )
            changes.isRolledBack = state.isRolledBack
            return changes
          }
        },
        store: { account, _ throws(SharedAccountFailure) in
          do throws(KeyringFailure) {
            guard lifeline.write() else { throw .engine(.unavailable(reason: "the process has died")) }
            let isTaken = try self.use(lifeline) { state throws(KeyringFailure) in self.store(account, in: &state) }
            if !isTaken { return }
          } catch {
            throw .keyring(error)
          }
          throw .nameTaken
        },
        remove: { id, _, _ throws(KeyringFailure) in
          guard lifeline.write() else { throw .engine(.unavailable(reason: "the process has died")) }
          try self.use(lifeline) { state throws(KeyringFailure) in state.accounts[id] = nil }
        },
        claim: { _, _ throws(KeyringFailure) in RenewalClaim(maySend: { true }) },
        holder: { name, _ throws(KeyringFailure) in
          try self.use(lifeline) { state throws(KeyringFailure) in state.accounts.first { $0.value.name == name }?.key }
        }
      )
    )
    keyring.unlock = { _ throws(KeyringFailure) in
      try self.use(lifeline) { state throws(KeyringFailure) in state.unlockedFor }
    }
    return keyring
  }

  /// Returns whether another account has the name.
  private func store(_ account: SharedAccount, in state: inout State) -> Bool {
    guard !state.accounts.contains(where: { $0.key != account.id && $0.value.name == account.name })
    else { return true }
    var items = state.accounts[account.id]?.items ?? [:]
    switch account.items {
    case .unchanged: break
    case .merging(let given): for item in given { items[item.kind] = item.secret }
    case .replacing(let given): items = Dictionary(given.map { ($0.kind, $0.secret) }) { first, _ in first }
    }
    if state.forgets { items[.handle] = nil }
    state.accounts[account.id] = Stored(name: account.name, record: account.record, items: items)
    return false
  }
}

/// The settings that a machine keeps.
final class SettingsFile: Sendable {
  private let stored = Mutex<SharedKeyringSettings?>(nil)

  var value: SharedKeyringSettings? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
