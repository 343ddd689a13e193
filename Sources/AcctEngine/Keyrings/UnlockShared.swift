package import AcctModel
package import AcctPorts

/// Implements `vault` for a shared keyring in use, which a passphrase opens like the vault.
package struct UnlockShared: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The shared keyring in use; `nil` if it is another one, or none was chosen.
  package func kind() throws(EngineError) -> Keyring.Kind? {
    guard let kind = try KeyringChoice(context.world).chosen(), kind.isShared else { return nil }
    return kind
  }

  /// Asks for the passphrase once; its key is kept for a while, like the vault's.
  ///
  /// - Returns: As ``LockKeyring/unlock(_:)``.
  package func unlock(_ kind: Keyring.Kind) async throws(EngineError) -> Int? {
    try await LockKeyring(context).unlock(KeyringChoice(context.world).keyring(kind))
  }
}

extension EngineContext {
  /// Returns `true` if a change to an account applies to all machines.
  package func isShared(_ account: Account) throws(EngineError) -> Bool {
    guard account.keptIn == nil else { return false }
    return try KeyringChoice(world).shared() != nil
  }
}
