package import AcctModel
package import Secrets
package import Release

/// A place that keeps secrets, one item each, isolated by account.
///
/// Every keyring promises, and the contract suite verifies:
/// - A write replaces atomically; a failed write leaves the old value.
/// - A read after a successful write sees it, from any process.
/// - "Not there" (an item missing from the answer), ``KeyringFailure/locked``,
///   ``KeyringFailure/unavailable`` and ``KeyringFailure/timedOut`` are four different answers.
/// - No call outlives its deadline: 5 seconds, or 2 minutes where a person may be asked.
/// - Removing an item that is not there succeeds.
///
/// A copy is one reference, as of ``World``: what works with accounts passes it on more often than it calls it.
package struct Keyring: Sendable {
  @usableFromInline var shared: Shared

  /// Immutable: a keyring that is changed gets a new one.
  @usableFromInline
  final class Shared: Sendable {
    @usableFromInline let operations: Operations

    init(_ operations: Operations) { self.operations = operations }
  }

  @usableFromInline
  struct Operations: Sendable {
    @usableFromInline var kind: Kind
    @usableFromInline var read:
      @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> [ItemKind: Secret]
    @usableFromInline var write: @Sendable (AccountID, [Item], Interaction) async throws(KeyringFailure) -> Void
    @usableFromInline var remove: @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> Void
    @usableFromInline var list: @Sendable () async throws(KeyringFailure) -> [AccountID: Set<ItemKind>]
    @usableFromInline var prepare: @Sendable (Interaction) async throws(KeyringFailure) -> Void
    @usableFromInline var state: @Sendable () async -> State
    @usableFromInline var changes: @Sendable () -> ChangeMark?
    @usableFromInline var lock: @Sendable () async throws(KeyringFailure) -> Void = { () throws(KeyringFailure) in
      throw .failed(reason: "it has no lock")
    }
    @usableFromInline var lockedParts: @Sendable ([AccountID]) async throws(KeyringFailure) -> [LockedPart] = { _ in []
    }
    @usableFromInline var unlock: (@Sendable (Interaction) async throws(KeyringFailure) -> Int?)?
    @usableFromInline var accounts: SharedAccounts?
  }

  package init(
    kind: Kind,
    read:
      @escaping @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) ->
      [ItemKind: Secret],
    write:
      @escaping @Sendable (AccountID, [Item], Interaction) async throws(KeyringFailure) -> Void,
    remove:
      @escaping @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> Void,
    list: @escaping @Sendable () async throws(KeyringFailure) -> [AccountID: Set<ItemKind>],
    prepare: @escaping @Sendable (Interaction) async throws(KeyringFailure) -> Void,
    state: @escaping @Sendable () async -> State,
    accounts: SharedAccounts? = nil,
    changes: @escaping @Sendable () -> ChangeMark? = { nil }
  ) {
    shared = Shared(
      Operations(
        kind: kind,
        read: read,
        write: write,
        remove: remove,
        list: list,
        prepare: prepare,
        state: state,
        changes: changes,
        accounts: accounts
      )
    )
  }

  private mutating func change(_ change: (inout Operations) -> Void) {
    var operations = shared.operations
    change(&operations)
    shared = Shared(operations)
  }
}

// Inlined at the call site, so that only the operation that is called is copied.
extension Keyring {
  /// The kind of keyring.
  package var kind: Kind {
    @inlinable get { shared.operations.kind }
    set { change { $0.kind = newValue } }
  }

  /// Returns the requested items that exist: read one after the other in the order given, or all at one moment.
  package var read: @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> [ItemKind: Secret] {
    @inlinable get { shared.operations.read }
    set { change { $0.read = newValue } }
  }

  /// Stores items one after the other, in the order given.
  package var write: @Sendable (AccountID, [Item], Interaction) async throws(KeyringFailure) -> Void {
    @inlinable get { shared.operations.write }
    set { change { $0.write = newValue } }
  }

  /// Removes the given items of an account, and nothing else.
  ///
  /// A copy in a part that stays locked counts for nothing from then on; where all kinds are removed, it is the failure
  /// ``KeyringFailure/Opening/part(_:)``, after the others are gone.
  package var remove: @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> Void {
    @inlinable get { shared.operations.remove }
    set { change { $0.remove = newValue } }
  }

  /// Lists every account that has items, and which; works while locked where the keyring does.
  package var list: @Sendable () async throws(KeyringFailure) -> [AccountID: Set<ItemKind>] {
    @inlinable get { shared.operations.list }
    set { change { $0.list = newValue } }
  }

  /// Checks that a write would succeed: the keyring is reachable, exists, and is unlocked.
  ///
  /// It creates the parts that a first write needs (a vault, a default collection), asking if it may.
  package var prepare: @Sendable (Interaction) async throws(KeyringFailure) -> Void {
    @inlinable get { shared.operations.prepare }
    set { change { $0.prepare = newValue } }
  }

  /// Returns its state, without a change of an item and without a prompt.
  package var state: @Sendable () async -> State {
    @inlinable get { shared.operations.state }
    set { change { $0.state = newValue } }
  }

  /// Returns a mark that differs from an earlier one if its answers may have changed since, without asking it; `nil`
  /// where that can't be told.
  ///
  /// Locking it counts at once, and so do items that another program adds or removes. Changes that acct itself makes
  /// elsewhere count by its files: ``Files/changes``.
  package var changes: @Sendable () -> ChangeMark? {
    @inlinable get { shared.operations.changes }
    set { change { $0.changes = newValue } }
  }

  /// Locks it, as far as it has a lock: its items are then read only after another unlocking.
  package var lock: @Sendable () async throws(KeyringFailure) -> Void {
    @inlinable get { shared.operations.lock }
    set { change { $0.lock = newValue } }
  }

  /// Returns its parts that are locked beside it, as far as items of these accounts are only there.
  package var lockedParts: @Sendable ([AccountID]) async throws(KeyringFailure) -> [LockedPart] {
    @inlinable get { shared.operations.lockedParts }
    set { change { $0.lockedParts = newValue } }
  }

  /// Has it opened, by a person if it takes one, so that the next command opens it without one; `nil` where
  /// ``prepare`` does so.
  ///
  /// Returns for how many seconds a person's answer stays good; `nil` if none was needed.
  package var unlock: (@Sendable (Interaction) async throws(KeyringFailure) -> Int?)? {
    @inlinable get { shared.operations.unlock }
    set { change { $0.unlock = newValue } }
  }

  /// The accounts themselves, where several machines share it; `nil` for a keyring of this machine alone.
  package var accounts: SharedAccounts? {
    @inlinable get { shared.operations.accounts }
    set { change { $0.accounts = newValue } }
  }
}

extension Keyring {
  /// A keyring that several machines share, on one that shares none.
  package static func notJoined(_ kind: Kind) -> Keyring {
    Keyring(
      kind: kind,
      read: { _, _, _ throws(KeyringFailure) in throw .notJoined },
      write: { _, _, _ throws(KeyringFailure) in throw .notJoined },
      remove: { _, _, _ throws(KeyringFailure) in throw .notJoined },
      list: { () throws(KeyringFailure) in throw .notJoined },
      prepare: { _ throws(KeyringFailure) in throw .notJoined },
      state: { .unavailable }
    )
  }
}

extension Keyring {
  /// The keyrings, by the names that `ACCT_KEYRING` and JSON use.
  package enum Kind: String, Sendable, CaseIterable {
    case secretService = "secret-service"
    case vault
    /// The memory of this process.
    case memory
    /// Shared with other machines.
    case etcd, postgres

    /// `true` if other machines may use it, too.
    package var isShared: Bool {
      switch self {
      case .secretService, .vault, .memory: false
      case .etcd, .postgres: true
      }
    }

    /// The name of the program, such as "PostgreSQL"; the kind's own name for a keyring of this machine.
    package var title: String { self == .postgres ? "PostgreSQL" : rawValue }
  }

  /// A keyring's state.
  package enum State: String, Sendable { case ready, locked, unavailable }

  /// A part that is locked for itself: a collection of the Secret Service that is not the default one.
  package struct LockedPart: Equatable, Sendable {
    /// Its name, as its user gave it.
    package var name: String
    /// The accounts that need it.
    package var accounts: [AccountID]

    package init(name: String, accounts: [AccountID]) {
      self.name = name
      self.accounts = accounts
    }
  }

  /// One secret, with its kind.
  package struct Item: Equatable, Sendable {
    package var kind: ItemKind
    package var secret: Secret

    package init(_ kind: ItemKind, _ secret: Secret) {
      self.kind = kind
      self.secret = secret
    }

    package init(_ kind: ItemKind, _ token: Token) { self.init(kind, token.opened(for: .keyring)) }

    package init(_ token: RefreshToken) { self.init(.refreshToken, token.opened(for: .keyring)) }
  }
}
