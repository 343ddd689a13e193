package import AcctModel
package import Secrets

/// A place that keeps secrets, one item each, isolated by account.
///
/// Every keyring promises, and the contract suite verifies:
/// - A write replaces atomically; a failed write leaves the old value.
/// - A read after a successful write sees it, from any process.
/// - "Not there" (an item missing from the answer), ``KeyringFailure/locked``,
///   ``KeyringFailure/unavailable`` and ``KeyringFailure/timedOut`` are four different answers.
/// - No call outlives its deadline: 5 seconds, or 2 minutes where a person may be asked.
/// - Removing an item that is not there succeeds.
package struct Keyring: Sendable {
  /// The kind of keyring.
  package var kind: Kind

  /// Returns the requested items that exist: read one after the other in the order given, or all at one moment.
  package var read:
    @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> [ItemKind:
      Secret]

  /// Stores items one after the other, in the order given.
  package var write: @Sendable (AccountID, [Item], Interaction) async throws(KeyringFailure) -> Void

  /// Removes the given items of an account, and nothing else.
  ///
  /// A copy in a part that stays locked counts for nothing from then on; where all kinds are removed, it is the failure
  /// ``KeyringFailure/Opening/part(_:)``, after the others are gone.
  package var remove: @Sendable (AccountID, [ItemKind], Interaction) async throws(KeyringFailure) -> Void

  /// Lists every account that has items, and which; works while locked where the keyring does.
  package var list: @Sendable () async throws(KeyringFailure) -> [AccountID: Set<ItemKind>]

  /// Checks that a write would succeed: the keyring is reachable, exists, and is unlocked.
  ///
  /// It creates the parts that a first write needs (a vault, a default collection), asking if it may.
  package var prepare: @Sendable (Interaction) async throws(KeyringFailure) -> Void

  /// Returns its state, without a change of an item and without a prompt.
  package var state: @Sendable () async -> State

  /// Returns a mark that differs from an earlier one if its answers may have changed since, without asking it; `nil`
  /// where that can't be told.
  ///
  /// Locking it counts at once, and so do items that another program adds or removes. Changes that acct itself makes
  /// elsewhere count by its files: ``Files/changes``.
  package var changes: @Sendable () -> ChangeMark?

  /// Locks it, as far as it has a lock: its items are then read only after another unlocking.
  package var lock: @Sendable () async throws(KeyringFailure) -> Void = { () throws(KeyringFailure) in
    throw .failed(reason: "it has no lock")
  }

  /// Returns its parts that are locked beside it, as far as items of these accounts are only there.
  package var lockedParts: @Sendable ([AccountID]) async throws(KeyringFailure) -> [LockedPart] = { _ in [] }

  /// Has it opened, by a person if it takes one, so that the next command opens it without one; `nil` where
  /// ``prepare`` does so.
  ///
  /// Returns for how many seconds a person's answer stays good; `nil` if none was needed.
  package var unlock: (@Sendable (Interaction) async throws(KeyringFailure) -> Int?)?

  /// The accounts themselves, where several machines share it; `nil` for a keyring of this machine alone.
  package var accounts: SharedAccounts?

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
    self.kind = kind
    self.read = read
    self.write = write
    self.remove = remove
    self.list = list
    self.prepare = prepare
    self.state = state
    self.accounts = accounts
    self.changes = changes
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
  }
}

/// The permission to ask a person to unlock the keyring.
package enum Interaction: Sendable {
  /// No prompt is shown; a locked keyring is an error at once.
  case forbidden
  /// The provider's own prompt or the terminal may ask, and get 2 minutes.
  case allowed
}

/// Why a keyring operation failed; the CLI translates it into the user's words.
package enum KeyringFailure: Error, Equatable, Sendable {
  /// It exists but is locked, and was not unlocked; the reason, if one is known, and what opens it.
  case locked(reason: String? = nil, openedBy: Opening = .any)
  /// It is locked: neither its TPM nor a passphrase opened it; the reason says why the passphrase did not.
  case sealed(in: TPMAddress, HardwareKeyFailure, reason: String?)
  /// None is running, or it cannot be reached.
  case unavailable(reason: String)
  /// The user was asked to unlock it, and refused.
  case cancelled
  /// It did not answer in time.
  case timedOut
  /// The vault does not exist yet, and this operation does not create it.
  case noVault(folder: String)
  /// It answered with an error of its own. The text never holds a secret.
  case failed(reason: String)
  /// This machine has neither made nor joined a shared keyring.
  case notJoined
  /// The engine of a shared keyring failed.
  case engine(SharedStoreFailure)
  /// The engine of a shared keyring, or its object of an account, is older than the known one, or not the same.
  case rolledBack
  /// A server's answer for an account could not be stored on the engine yet, and is on this machine until then.
  case answerWaits
  /// The file of such an answer does not open; its account can't be changed on the engine until the file is set aside.
  case answerUnopened(path: String)
  /// A shared keyring's header, on the engine or in this machine's copy, can't be used.
  case damagedHeader(_ reason: String)
  /// A shared keyring's data of an account can't be used.
  case damagedAccount(AccountID, SharedDamage)
  /// Another machine has removed this one from a shared keyring: its name, and when, in seconds since 1970.
  case removedMachine(by: String, at: Int64)
  /// This machine's key for a shared keyring is in a TPM, which can't use it.
  case machineKey(in: TPMAddress, HardwareKeyFailure)
  /// The settings of a shared keyring can't be used.
  case settings(KeyringSettingsFlaw)
}

extension KeyringFailure {
  /// What opens a locked keyring.
  package enum Opening: Equatable, Sendable {
    /// A person, or a passphrase or key that was not given.
    case any
    /// No secret of this machine's, but the approval by a member of a shared keyring.
    case approval
    /// A person, who has to open this part of the keyring, or to store new credentials outside of it.
    case part(String)
    /// A person at the desktop: no prompt can be shown here.
    case desktop
    /// Another keyring, or a person at the desktop: it does not exist yet.
    case otherKeyring
    /// A passphrase or key of a shared keyring that this machine wants to join: there is nothing here to unlock yet, and
    /// what was given may be right for this machine's own vault.
    case joining
    /// Another passphrase or key than the one that was entered, or is in this file.
    case otherPassphrase(file: String?)
    /// The passphrase or key in this file, once acct can use it.
    case file(String)
    /// A file with the passphrase, since the kernel does not keep what a person has entered.
    case fileForEach
  }

  /// A person was asked for the passphrase, and entered none.
  package static let noPassphrase = KeyringFailure.locked(reason: noPassphraseReason)
  package static let noPassphraseReason = "no passphrase was given"
}

extension KeyringFailure {
  /// `true` if the keyring may accept the same operation later.
  package var mayPass: Bool {
    switch self {
    case .locked, .sealed, .cancelled, .unavailable, .timedOut, .answerWaits: true
    case .engine(let failure): failure.isOutage || failure == .noSpace
    case .machineKey(_, let failure): failure != .foreign && failure != .gone
    case .noVault, .failed, .notJoined, .rolledBack, .answerUnopened, .damagedHeader, .damagedAccount,
      .removedMachine, .settings:
      false
    }
  }

  /// `true` if it is there, and this machine or its user has not opened it.
  package var isLocked: Bool {
    switch self {
    case .machineKey(_, .absent): false
    case .locked, .sealed, .cancelled, .removedMachine, .machineKey: true
    case .unavailable, .timedOut, .noVault, .failed, .notJoined, .engine, .rolledBack, .answerWaits, .answerUnopened,
      .damagedHeader, .damagedAccount, .settings:
      false
    }
  }
}
