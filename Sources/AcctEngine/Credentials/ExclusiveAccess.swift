import AcctModel
import AcctPorts

extension EngineContext {
  /// Does something with an account's credentials while no other process changes either.
  ///
  /// Whatever is known of the account may be old, so it is read again under its lock; and a replacement
  /// that was interrupted is ended first, so that the credentials lie in their own place, and nothing
  /// written there is overwritten later. Where other machines share the keyring, what they have changed is brought
  /// here before.
  ///
  /// - Parameters:
  ///   - account: Which one.
  ///   - allowingCopy: Whether this machine's copy will do where a shared keyring's engine can't be asked.
  ///   - body: What to do with the account as it is now, and with its items in the keyring.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SelectionError/unknown(reference:selectedBy:candidates:)`` where
  ///   the account has been removed; why the lock, the file or the keyring could not be had.
  func withExclusiveAccess<Result>(
    to account: Account,
    allowingCopy: Bool = false,
    _ body: (Account, CredentialStore) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await accountStore.exclusively(account.id) {
      () throws(EngineError) -> Result in
      let credentialStore = try await settledCredentials(of: account, allowingCopy: allowingCopy)
      return try await body(credentialStore.account, credentialStore)
    }
  }

  /// The same without the lock, which the caller holds.
  func settledCredentials(
    of account: Account,
    allowingCopy: Bool = false
  ) async throws(EngineError) -> CredentialStore {
    let keyring = try KeyringChoice(world).keyring(of: try asInFile(account))
    if let shared = SharedRecords(in: keyring, self) {
      do throws(EngineError) { try await shared.fetch(account) } catch let error {
        guard allowingCopy, case .keyring(.failed) = error else { throw error }
      }
    }
    guard let current = try accountStore.account(account.id) else { throw .removed(account) }
    return CredentialStore(of: try await ReplaceCredentials(self).settled(current), in: keyring, self)
  }

  /// An account as its file has it now, where a move may have changed which keyring is its own; the caller holds its lock.
  ///
  /// As it was read before where the file is gone or damaged: what follows tells of that.
  private func asInFile(_ account: Account) throws(EngineError) -> Account {
    guard let file = try accountStore.contents(of: account.id) else { return account }
    return accountStore.account(account.id, in: file) ?? account
  }

  /// Does something with an account's record alone while no other process changes it.
  ///
  /// - Parameters:
  ///   - account: Which one.
  ///   - body: What to do; it gets where the record is saved besides its file, reads it from there, and may be called
  ///     again if another machine changes it at the same time.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``EngineError/removed(_:)``.
  func withExclusiveRecord<Result>(
    of account: Account,
    _ body: (SharedRecords?) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await accountStore.exclusively(account.id) { () throws(EngineError) -> Result in
      guard try asInFile(account).keptIn == nil, let shared = try sharedRecords() else { return try await body(nil) }
      return try await unlessChanged { () throws(EngineError) -> Result in
        try await shared.fetch(account)
        return try await body(shared)
      }
    }
  }
}

extension EngineError {
  /// The account was there when the command began, and has been removed since.
  static func removed(_ account: Account) -> EngineError {
    .selection(.unknown(reference: account.name.description, selectedBy: .option, candidates: []))
  }
}
