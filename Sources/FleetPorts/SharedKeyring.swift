package import AcctModel
package import AcctPorts
package import Secrets

/// The keyring that this machine shares with others, and the operations on it as a whole.
package struct SharedKeyring: Sendable {
  /// The settings in force: those of the environment (`ACCT_ETCD_…`, `ACCT_POSTGRES_…`), else the stored ones.
  package var settings: @Sendable () throws(KeyringFailure) -> SharedKeyringSettings?
  /// Makes a keyring on the engine, and stores the settings.
  ///
  /// A keyring that exists is joined if the key opens it.
  package var create: @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void
  /// Joins the keyring that another machine has made, and stores the settings.
  package var join: @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void
  /// Deletes the settings and this machine's copies; the engine keeps everything.
  ///
  /// Fails while a server's answer is still to be stored. Returns the objects and answers that could not be opened.
  package var leave: @Sendable () throws(KeyringFailure) -> Unopened
  /// Accepts the engine as it is now, even if it is older than the known one, or not the same.
  ///
  /// Returns the objects and answers that could not be opened.
  package var trust: @Sendable (Interaction) throws(KeyringFailure) -> Unopened
  /// Returns the engine's report about itself.
  package var report: @Sendable () throws(KeyringFailure) -> Report
  /// Returns the accounts for which this machine still has an answer to store, without asking the engine.
  package var pending: @Sendable () throws(KeyringFailure) -> [AccountID]
  /// Reads and checks every object of the keyring.
  package var inspect: @Sendable (Interaction) throws(KeyringFailure) -> Inspection
  /// Its members.
  package var membership: SharedMembership

  package init(
    settings: @escaping @Sendable () throws(KeyringFailure) -> SharedKeyringSettings?,
    create: @escaping @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void,
    join: @escaping @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void,
    leave: @escaping @Sendable () throws(KeyringFailure) -> Unopened,
    trust: @escaping @Sendable (Interaction) throws(KeyringFailure) -> Unopened,
    report: @escaping @Sendable () throws(KeyringFailure) -> Report,
    pending: @escaping @Sendable () throws(KeyringFailure) -> [AccountID] = { () throws(KeyringFailure) in [] },
    inspect: @escaping @Sendable (Interaction) throws(KeyringFailure) -> Inspection,
    membership: SharedMembership = .none
  ) {
    self.settings = settings
    self.create = create
    self.join = join
    self.leave = leave
    self.trust = trust
    self.report = report
    self.pending = pending
    self.inspect = inspect
    self.membership = membership
  }

  /// The state of the engine, as far as it is known.
  package struct Report: Equatable, Sendable {
    /// The engine's current identity and revision.
    package var standing: SharedStore.Standing
    /// `true` if it is older than the known one, or not the same: nothing is renewed until it is trusted.
    package var isRolledBack: Bool
    /// The number of accounts that it holds.
    package var accounts: Int
    /// Accounts for which this machine still has an answer to store.
    package var pending: [AccountID]
    /// Accounts that this machine has a copy of, and the engine does not have.
    package var copiesAlone: [AccountID]
    /// `true` if a change of the keyring's key was begun and has not ended: by a process that was interrupted, or by one
    /// that is still at it.
    package var isChangingKey: Bool
    /// Why it is locked; `nil` if it is not.
    package var lock: KeyringFailure?

    package init(
      standing: SharedStore.Standing,
      isRolledBack: Bool,
      accounts: Int,
      pending: [AccountID],
      copiesAlone: [AccountID] = [],
      isChangingKey: Bool = false,
      lock: KeyringFailure? = nil
    ) {
      self.standing = standing
      self.isRolledBack = isRolledBack
      self.accounts = accounts
      self.pending = pending
      self.copiesAlone = copiesAlone
      self.isChangingKey = isChangingKey
      self.lock = lock
    }
  }

  /// The objects that can't be used in their present state.
  package struct Inspection: Equatable, Sendable {
    /// Accounts whose object is damaged.
    package var damaged: [AccountID: SharedDamage]
    /// Keys on the engine that name no account, as the engine has them.
    package var strayKeys: [String]
    /// Accounts whose object is older than a version that this machine has seen, or has vanished without a record of
    /// its removal.
    package var rolledBack: [AccountID]

    package init(damaged: [AccountID: SharedDamage] = [:], strayKeys: [String] = [], rolledBack: [AccountID] = []) {
      self.damaged = damaged
      self.strayKeys = strayKeys
      self.rolledBack = rolledBack
    }
  }

  /// The objects and answers that no key of this machine opens.
  package struct Unopened: Equatable, Sendable {
    /// Accounts whose object on the engine does not open; this machine's copies of them stay as they were.
    package var accounts: [AccountID]
    /// Answers of servers that no longer open: the files that they were moved to, by account.
    package var answers: [AccountID: String]

    package init(accounts: [AccountID] = [], answers: [AccountID: String] = [:]) {
      self.accounts = accounts
      self.answers = answers
    }
  }
}

extension SharedKeyring {
  /// A machine that shares nothing.
  package static let none = SharedKeyring(
    settings: { nil },
    create: { _, _ throws(KeyringFailure) in throw .notJoined },
    join: { _, _ throws(KeyringFailure) in throw .notJoined },
    leave: { () throws(KeyringFailure) in throw .notJoined },
    trust: { _ throws(KeyringFailure) in throw .notJoined },
    report: { () throws(KeyringFailure) in throw .notJoined },
    inspect: { _ throws(KeyringFailure) in throw .notJoined }
  )
}

/// A decrypted object of an account on an engine: untrusted input until it is checked.
///
/// Each machine that has the keyring's key, or had it, can write anything into an object.
package struct SharedContents: Sendable {
  /// The account that the object's key names.
  package var id: AccountID
  package var name: AccountName?
  /// The contents of the account's file.
  package var record: [UInt8]
  package var items: [ItemKind: Secret]

  package init(id: AccountID, name: AccountName?, record: [UInt8], items: [ItemKind: Secret]) {
    self.id = id
    self.name = name
    self.record = record
    self.items = items
  }
}

/// The rules for the contents of an account's object on a shared keyring; returns the first violation.
package typealias SharedCheck = @Sendable (SharedContents) -> SharedDamage?
