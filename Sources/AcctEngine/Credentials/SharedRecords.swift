import AcctModel
package import AcctPorts

/// The accounts of a keyring that several machines share, and this machine's files of them.
///
/// The engine has the valid version of an account. The file is the version that this machine last saw: enough to
/// select, list and use it. So the engine is written first, and the file after it; and before an account is changed,
/// it is fetched.
package struct SharedRecords: Sendable {
  let accounts: SharedAccounts
  let kind: Keyring.Kind
  let context: EngineContext

  /// `nil` for a keyring of this machine alone.
  package init?(in keyring: Keyring, _ context: EngineContext) {
    guard let accounts = keyring.accounts else { return nil }
    self.accounts = accounts
    kind = keyring.kind
    self.context = context
  }

  /// Updates an account from the engine; the caller holds its lock, and not the book's.
  ///
  /// - Throws: ``EngineError/removed(_:)`` if another machine has removed it, and then nothing of it is left here; the
  ///   failure of the engine.
  func fetch(_ account: Account) async throws(EngineError) {
    let record: [UInt8]?
    do { record = try accounts.fetch(account.id, context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    guard let record else {
      if try mayForget { try await context.forget(account.id) }
      throw .removed(account)
    }
    // Another machine may rename an account, but not to the name of an account that is here.
    if let name = context.accountStore.account(account.id, in: record)?.name, name != account.name,
      let other = try context.accountStore.account(named: name.description), other.id != account.id,
      other.keptIn == nil
    {
      throw .keyring(.failed(.damagedAccount(account.id, .nameTaken), kind))
    }
    try context.accountStore.take(record, of: account.id)
  }

  /// Stores an account and the change to its items in one step, then its file; ends a claim.
  ///
  /// - Throws: ``EngineError/removed(_:)``; ``KeyringError/changedElsewhere(_:)`` if another machine has stored newer
  ///   credentials, which stay; ``SelectionError/nameTaken(_:)``; the failure of the engine.
  func store(_ account: Account, _ items: SharedAccount.Items) throws(EngineError) {
    let account = account.withoutFiles
    let stored = SharedAccount(id: account.id, name: account.name, record: AccountFile.encode(account), items: items)
    do throws(SharedAccountFailure) { try accounts.store(stored, context.interaction) } catch {
      switch error {
      case .keyring(let failure): throw .keyring(.failed(failure, kind))
      case .nameTaken: throw .selection(.nameTaken(account.name))
      // The next command that looks for it removes its file.
      case .removed: throw .removed(account)
      case .superseded: throw .keyring(.changedElsewhere(account.name))
      }
    }
    try context.accountStore.save(account)
  }

  /// Returns `true` if the engine has an account, even a damaged one.
  func has(_ id: AccountID) throws(EngineError) -> Bool {
    do { return try accounts.fetchAll(context.interaction).accounts.contains(id) } catch {
      throw .keyring(.failed(error, kind))
    }
  }

  /// Removes an account from the engine, with its name and items; the file stays for the caller to remove.
  ///
  /// Other machines are told that this one did so, and when.
  func remove(_ id: AccountID) throws(EngineError) {
    do { try accounts.remove(id, context.event(.removed), context.interaction) } catch {
      throw .keyring(.failed(error, kind))
    }
  }

  /// Claims the right to renew an account, waiting for another machine that has it.
  ///
  /// - Parameter account: The account as it was read, with the note that a renewal is in flight.
  /// - Returns: The right.
  /// - Throws: ``KeyringError/changedElsewhere(_:)`` if it has changed since it was read.
  func claim(_ account: Account) async throws(EngineError) -> RenewalClaim {
    let intent = RenewalIntent(
      account: account.id,
      record: AccountFile.encode(account.withoutFiles),
      timeout: context.timeout
    )
    let claim: RenewalClaim?
    do { claim = try await accounts.claim(intent, context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    guard let claim else { throw .keyring(.changedElsewhere(account.name)) }
    return claim
  }

  /// `true` if a file is deleted with its account: not if only `ACCT_KEYRING` names this keyring, and the files are
  /// those of another one's accounts.
  var mayForget: Bool { get throws(EngineError) { try KeyringChoice(context.world).isSettled(on: kind) } }
}

extension EngineContext {
  /// The accounts that this machine shares; `nil` if its keyring is its own, or none has been chosen.
  func sharedRecords() throws(EngineError) -> SharedRecords? {
    try KeyringChoice(world).shared().flatMap { SharedRecords(in: $0, self) }
  }

  /// Runs `body`, and repeats it if another machine has changed the account since it was read, or if the time to send
  /// had passed when the connection was ready.
  ///
  /// - Parameter body: Reads the account and decides anew each time.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; after a few rounds, also these two errors.
  package func unlessChanged<Result>(_ body: () async throws(EngineError) -> Result) async throws(EngineError) -> Result
  {
    for _ in 1..<Self.rounds {
      do { return try await body() } catch .keyring(.changedElsewhere) {
      } catch .network(.http(.withheld, _)) {}
    }
    return try await body()
  }

  private static let rounds = 5
}

extension AccountStore {
  /// Saves an account: on the engine first, where the keyring is shared.
  func save(_ account: Account, sharing shared: SharedRecords?) throws(EngineError) {
    if let shared { try shared.store(account, .unchanged) } else { try save(account) }
  }
}
