package import AcctModel

/// The accounts that a keyring of several machines stores besides items, and the right to renew them.
///
/// An account is one object on the engine: its record (the contents of its file), its items, and the lock of a
/// renewal. The caller holds the account's lock on this machine during all of these calls but ``fetchAll``. Calls that
/// are not `async` block, as an engine's do.
package struct SharedAccounts: Sendable {
  /// Updates this machine's copy of an account from the engine, after storing what is pending.
  ///
  /// Returns the record, or `nil` if there is no such account (any more).
  package var fetch: @Sendable (AccountID, Interaction) throws(KeyringFailure) -> [UInt8]?
  /// Updates this machine's copies of all accounts, after storing what is pending.
  ///
  /// Returns the differences from the earlier copies.
  package var fetchAll: @Sendable (Interaction) throws(KeyringFailure) -> SharedChanges
  /// Stores an account in one step: another machine sees all of it or nothing.
  ///
  /// The right to renew it, if this machine has claimed it, ends.
  package var store: @Sendable (SharedAccount, Interaction) throws(SharedAccountFailure) -> Void
  /// Removes an account and frees its name; an account that is not there is no error.
  ///
  /// The event, if there is one, is what other machines are then told of it by ``removals``.
  package var remove: @Sendable (AccountID, AccountEvent?, Interaction) throws(KeyringFailure) -> Void
  /// Takes the right to renew an account, waiting for another machine that has it.
  ///
  /// Returns `nil` if the account has changed meanwhile: this machine's copy is up to date, and the caller checks
  /// whether a renewal is still due.
  package var claim: @Sendable (RenewalIntent, Interaction) async throws(KeyringFailure) -> RenewalClaim?

  /// Returns the account that has a name, as the engine says; `nil` if no account of the keyring has it.
  package var holder: @Sendable (AccountName, Interaction) throws(KeyringFailure) -> AccountID?

  /// Returns the accounts that were removed, as far as this machine had learnt of them at the last ``fetchAll``.
  ///
  /// An account that was removed by an earlier version of acct, or from a keyring of the former form, is none of them.
  package var removals: @Sendable (Interaction) throws(KeyringFailure) -> [RemovedAccount]

  package init(
    fetch: @escaping @Sendable (AccountID, Interaction) throws(KeyringFailure) -> [UInt8]?,
    fetchAll: @escaping @Sendable (Interaction) throws(KeyringFailure) -> SharedChanges,
    store: @escaping @Sendable (SharedAccount, Interaction) throws(SharedAccountFailure) -> Void,
    remove: @escaping @Sendable (AccountID, AccountEvent?, Interaction) throws(KeyringFailure) -> Void,
    claim:
      @escaping @Sendable (RenewalIntent, Interaction) async throws(KeyringFailure) ->
      RenewalClaim?,
    holder: @escaping @Sendable (AccountName, Interaction) throws(KeyringFailure) -> AccountID?,
    removals: @escaping @Sendable (Interaction) throws(KeyringFailure) -> [RemovedAccount] = { _ in [] }
  ) {
    self.fetch = fetch
    self.fetchAll = fetchAll
    self.store = store
    self.remove = remove
    self.claim = claim
    self.holder = holder
    self.removals = removals
  }
}

/// An account that was removed: its name, and its last events with the removal.
package struct RemovedAccount: Equatable, Sendable {
  package var id: AccountID
  package var name: AccountName
  package var history: AccountHistory
  /// Its last uses on this machine.
  package var uses: AccountUses

  package init(id: AccountID, name: AccountName, history: AccountHistory, uses: AccountUses = AccountUses()) {
    self.id = id
    self.name = name
    self.history = history
    self.uses = uses
  }
}

/// An account to be stored.
package struct SharedAccount: Sendable {
  package var id: AccountID
  /// Unique among the accounts of the keyring.
  package var name: AccountName
  /// The contents of the account's file.
  package var record: [UInt8]
  package var items: Items

  package init(id: AccountID, name: AccountName, record: [UInt8], items: Items) {
    self.id = id
    self.name = name
    self.record = record
    self.items = items
  }

  /// The change to the account's items.
  package enum Items: Sendable {
    case unchanged
    /// These replace those of their kinds; the others stay.
    case merging([Keyring.Item])
    /// These replace all items of the account.
    case replacing([Keyring.Item])

    /// The items that are written.
    package var written: [Keyring.Item] {
      switch self {
      case .unchanged: []
      case .merging(let items), .replacing(let items): items
      }
    }
  }
}

/// The differences between the engine and this machine's earlier copies of the accounts, which are up to date now.
package struct SharedChanges: Sendable {
  /// The records of accounts that are new or have changed.
  package var records: [AccountID: [UInt8]]
  /// All accounts that there are.
  package var accounts: Set<AccountID>
  /// `true` if the engine is older than this machine has seen it: the accounts are those of this machine's copies.
  package var isRolledBack = false
  /// Confirms that the caller has stored the records; without this, the next call returns them again.
  package var confirm: @Sendable () -> Void

  package init(records: [AccountID: [UInt8]], accounts: Set<AccountID>, confirm: @escaping @Sendable () -> Void = {}) {
    self.records = records
    self.accounts = accounts
    self.confirm = confirm
  }
}

/// A renewal that is about to be made.
package struct RenewalIntent: Sendable {
  package var account: AccountID
  /// The contents of the account's file, with the note that a renewal is in flight.
  package var record: [UInt8]
  /// Seconds that its request may take.
  package var timeout: Int

  package init(account: AccountID, record: [UInt8], timeout: Int) {
    self.account = account
    self.record = record
    self.timeout = timeout
  }
}

/// The right to renew an account, for a while.
///
/// It ends with the next ``SharedAccounts/store`` of the account, or by time: other machines wait no longer than that.
package struct RenewalClaim: Sendable {
  /// Returns `true` if a request that begins now would end before other machines stop waiting.
  ///
  /// Call it as late as possible: a process can be stopped at any time.
  package var maySend: @Sendable () -> Bool

  package init(maySend: @escaping @Sendable () -> Bool) { self.maySend = maySend }
}

/// Why an account was not stored.
package enum SharedAccountFailure: Error, Equatable, Sendable {
  case keyring(KeyringFailure)
  /// Another account has the name.
  case nameTaken
  /// Another machine has removed the account.
  case removed
  /// Another machine has stored newer credentials, which stay.
  case superseded
}
