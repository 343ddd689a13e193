package import AcctModel

/// The keyring that this machine shares with others, and what is done with it as a whole.
package struct SharedKeyring: Sendable {
  /// The keyring of that kind, ``Keyring/Kind/etcd`` or ``Keyring/Kind/postgres``; its
  /// ``Keyring/accounts`` is set.
  ///
  /// Nothing is read or connected before its first use.
  package var keyring: @Sendable (Keyring.Kind) -> Keyring
  /// The settings in force: those of the environment (`ACCT_ETCD_…`, `ACCT_POSTGRES_…`), else the stored ones.
  package var settings: @Sendable () throws(KeyringFailure) -> SharedKeyringSettings?
  /// Makes a keyring on the engine, and keeps the settings.
  ///
  /// One that is there is joined if the key opens it.
  package var create: @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void
  /// Joins the keyring that another machine has made, and keeps the settings.
  package var join: @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void
  /// Deletes the settings and this machine's copies; the engine keeps everything.
  ///
  /// Fails while an answer of a server is still to be stored. Returns what could not be opened.
  package var leave: @Sendable () throws(KeyringFailure) -> Unopened
  /// Accepts the engine as it is now, although it is older than, or another than, the one known.
  ///
  /// Returns what could not be opened.
  package var trust: @Sendable (Interaction) throws(KeyringFailure) -> Unopened
  /// Asks the engine how it is.
  package var report: @Sendable () throws(KeyringFailure) -> Report
  /// Reads and checks every object of the keyring.
  package var inspect: @Sendable (Interaction) throws(KeyringFailure) -> Inspection

  package init(
    keyring: @escaping @Sendable (Keyring.Kind) -> Keyring,
    settings: @escaping @Sendable () throws(KeyringFailure) -> SharedKeyringSettings?,
    create: @escaping @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void,
    join: @escaping @Sendable (SharedKeyringSettings, Interaction) throws(KeyringFailure) -> Void,
    leave: @escaping @Sendable () throws(KeyringFailure) -> Unopened,
    trust: @escaping @Sendable (Interaction) throws(KeyringFailure) -> Unopened,
    report: @escaping @Sendable () throws(KeyringFailure) -> Report,
    inspect: @escaping @Sendable (Interaction) throws(KeyringFailure) -> Inspection
  ) {
    self.keyring = keyring
    self.settings = settings
    self.create = create
    self.join = join
    self.leave = leave
    self.trust = trust
    self.report = report
    self.inspect = inspect
  }

  /// What is known of the engine.
  package struct Report: Equatable, Sendable {
    /// As the engine says it now.
    package var standing: SharedStore.Standing
    /// Whether it is older than, or another than, the one known: nothing is renewed until it is trusted.
    package var isRolledBack: Bool
    /// How many accounts it keeps.
    package var accounts: Int
    /// Accounts for which this machine still has an answer to store.
    package var pending: [AccountID]
    /// Accounts of which this machine has a copy, and the engine nothing.
    package var copiesAlone: [AccountID]

    package init(
      standing: SharedStore.Standing,
      isRolledBack: Bool,
      accounts: Int,
      pending: [AccountID],
      copiesAlone: [AccountID] = []
    ) {
      self.standing = standing
      self.isRolledBack = isRolledBack
      self.accounts = accounts
      self.pending = pending
      self.copiesAlone = copiesAlone
    }
  }

  /// The objects that can't be used as they are.
  package struct Inspection: Equatable, Sendable {
    /// Accounts whose object is damaged.
    package var damaged: [AccountID: SharedDamage]
    /// Keys on the engine that are no account's, as the engine has them.
    package var strayKeys: [String]
    /// Accounts whose object is older than this machine has seen it, or is gone without a trace of its removal.
    package var rolledBack: [AccountID]

    package init(damaged: [AccountID: SharedDamage] = [:], strayKeys: [String] = [], rolledBack: [AccountID] = []) {
      self.damaged = damaged
      self.strayKeys = strayKeys
      self.rolledBack = rolledBack
    }
  }

  /// What no key of this machine opens.
  package struct Unopened: Equatable, Sendable {
    /// Accounts whose object on the engine does not open; this machine's copies of them stay as they were.
    package var accounts: [AccountID]
    /// Answers of servers that do not open any more: files that they were moved to, by account.
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
    keyring: { kind in
      Keyring(
        kind: kind,
        read: { _, _, _ throws(KeyringFailure) in throw .notJoined },
        write: { _, _, _ throws(KeyringFailure) in throw .notJoined },
        remove: { _, _, _ throws(KeyringFailure) in throw .notJoined },
        list: { () throws(KeyringFailure) in throw .notJoined },
        prepare: { _ throws(KeyringFailure) in throw .notJoined },
        state: { .unavailable }
      )
    },
    settings: { nil },
    create: { _, _ throws(KeyringFailure) in throw .notJoined },
    join: { _, _ throws(KeyringFailure) in throw .notJoined },
    leave: { () throws(KeyringFailure) in throw .notJoined },
    trust: { _ throws(KeyringFailure) in throw .notJoined },
    report: { () throws(KeyringFailure) in throw .notJoined },
    inspect: { _ throws(KeyringFailure) in throw .notJoined }
  )
}
