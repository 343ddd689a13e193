package import AcctModel
import AcctPorts

extension EngineContext {
  /// Runs `body` with an account's credentials while no other process changes either.
  ///
  /// The caller's copy of the account may be outdated, so it is read again under its lock; and an interrupted
  /// replacement is finished first, so that the credentials are in their own place, and nothing written there is
  /// overwritten later. Changes by other machines that share the keyring are fetched before.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - allowingCopy: `true` if this machine's copy suffices when a shared keyring's engine can't be asked.
  ///   - body: The work with the account as it is now, and with its items in the keyring.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SelectionError/unknown(reference:selectedBy:candidates:)`` if the account has
  ///   been removed; the failure of the lock, the file or the keyring.
  package func withExclusiveAccess<Result>(
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

  /// Reads the account again and finishes an interrupted replacement; the caller holds the lock.
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

  /// Returns an account as its file has it now, since a move may have changed its keyring; the caller holds its lock.
  ///
  /// If the file is missing or damaged, the account is returned unchanged: the next step reports that.
  private func asInFile(_ account: Account) throws(EngineError) -> Account {
    guard let file = try accountStore.contents(of: account.id) else { return account }
    return accountStore.account(account.id, in: file) ?? account
  }

  /// Changes an account's record alone, while no other process changes it.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - body: The change; it gets the shared keyring to save the record in besides its file, reads the record from
  ///     the file, and may be called again if another machine changes it at the same time.
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
  /// The error for an account that was removed after the command began.
  package static func removed(_ account: Account) -> EngineError {
    .selection(.unknown(reference: account.name.description, selectedBy: .option, candidates: []))
  }
}
