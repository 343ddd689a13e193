package import AcctModel
package import AcctPorts

/// The keyring that this machine shares with others, for the lifetime of a command.
///
/// How machines share a keyring, and who they are, is not the core's.
package protocol AccountsInFleet: AnyObject, Sendable {
  /// The place of the accounts of a keyring that other machines have, too; `nil` for one of this machine alone.
  func place(in keyring: Keyring, _ context: EngineContext) -> (any AccountPlace)?

  /// The item of this machine's own key in its vault or desktop's keyring, which belongs to no account; `nil` if it has
  /// none.
  func ownItem() -> AccountID?

  /// The number of servers' answers that wait on this machine for the engine; 0 also if that can't be read.
  func waitingAnswers() -> Int

  /// Completes what is known of the keyring in use by the report of the shared one's engine; prompts for nothing.
  ///
  /// - Throws: ``EngineError`` if this machine's files can't be read.
  func complete(_ standing: inout KeyringStanding, _ context: EngineContext) throws(EngineError)
}

/// The place of accounts that several machines have: an engine, and this machine's files of them.
///
/// The engine is written first, and the file after it; and before an account is changed, it is fetched. An account of this
/// machine alone needs no such place: it is its file and its items, and its lock is the right to renew it.
package protocol AccountPlace: AnyObject, Sendable {
  var kind: Keyring.Kind { get }

  /// Updates an account from the engine; the caller holds its lock, and not the book's.
  ///
  /// - Throws: ``EngineError/removed(_:)`` if another machine has removed it, and then nothing of it is left here; the
  ///   failure of the engine.
  func fetch(_ account: Account) async throws(EngineError)

  /// Returns an account as the engine has it now, and stores it here as well.
  ///
  /// It stays as it is while another process of this machine changes it.
  ///
  /// - Throws: As ``fetch(_:)``.
  func latest(_ account: Account) async throws(EngineError) -> Account

  /// Claims the right to renew an account, waiting for another machine that has it.
  ///
  /// - Parameter account: The account as it was read, with the note that a renewal is in flight.
  /// - Returns: The check to make just before each request is sent.
  /// - Throws: ``KeyringError/changedElsewhere(_:)`` if it has changed since it was read.
  func claim(_ account: Account) async throws(EngineError) -> @Sendable () -> Bool

  /// Stores an account and the change to its items in one step, then its file; ends a claim.
  ///
  /// - Throws: ``EngineError/removed(_:)``; ``KeyringError/changedElsewhere(_:)`` if another machine has stored newer
  ///   credentials, which stay; ``SelectionError/nameTaken(_:)``; the failure of the engine.
  func store(_ account: Account, _ items: SharedAccount.Items) throws(EngineError)

  /// Returns `true` if the engine has an account, even a damaged one.
  func has(_ id: AccountID) throws(EngineError) -> Bool

  /// Removes an account from the engine, with its name and items; the file stays for the caller to remove.
  ///
  /// Other machines are told that this one did so, and when.
  func remove(_ id: AccountID) throws(EngineError)

  /// Fetches the changes of other machines, and deletes the files of accounts that they have removed; the caller holds
  /// no lock.
  ///
  /// Each file is written under its account's lock, without waiting for it. An account that can't be read or written
  /// hides none of the others.
  ///
  /// - Returns: The accounts that there are, and whether the engine was older than this machine has seen it.
  /// - Throws: The failure of the engine, and then the accounts here stay in their last known state; the failure of
  ///   the first file that could not be written.
  @discardableResult
  func pull() async throws(EngineError) -> SharedChanges

  /// Returns the accounts that were removed, as far as this machine had learnt of them at the last ``pull()``; no one is
  /// asked for a passphrase.
  func removals() throws(EngineError) -> [RemovedAccount]
}

extension EngineContext {
  /// The place of the accounts of a keyring; `nil` for one of this machine alone.
  package func place(in keyring: Keyring) -> (any AccountPlace)? { fleet?.place(in: keyring, self) }
}

/// Whether the keyring in use can be used now.
package struct KeyringStanding: Sendable {
  /// The keyring in use; `nil` if none was chosen yet.
  package let kind: Keyring.Kind?
  package var state: Keyring.State?
  /// Why it, or the keyring that this machine shares, can't be used now.
  @Boxed package var cause: EngineError? = nil
}
