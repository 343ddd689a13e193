import AcctModel
import AcctPorts

extension EngineContext {
  /// Does something with an account's credentials while no other process changes either.
  ///
  /// Whatever is known of the account may be old, so it is read again under its lock; and a replacement
  /// that was interrupted is ended first, so that the credentials lie in their own place, and nothing
  /// written there is overwritten later.
  ///
  /// - Parameters:
  ///   - account: Which one.
  ///   - body: What to do with the account as it is now, and with its items in the keyring.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SelectionError/unknown(reference:selectedBy:candidates:)`` where
  ///   the account has been removed; why the lock, the file or the keyring could not be had.
  func withExclusiveAccess<Result>(
    to account: Account,
    _ body: (Account, CredentialStore) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await accountStore.exclusively(account.id) {
      () throws(EngineError) -> Result in
      let credentialStore = try await settledCredentials(of: account)
      return try await body(credentialStore.account, credentialStore)
    }
  }

  /// The same without the lock, which the caller holds.
  func settledCredentials(of account: Account) async throws(EngineError) -> CredentialStore {
    guard let current = try accountStore.account(account.id) else {
      throw .removed(account)
    }
    return try CredentialStore(
      of: try await ReplaceCredentials(self).settled(current),
      in: self
    )
  }
}

extension EngineError {
  /// The account was there when the command began, and has been removed since.
  static func removed(_ account: Account) -> EngineError {
    .selection(.unknown(reference: account.name.description, selectedBy: .option, candidates: []))
  }
}
