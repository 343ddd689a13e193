import AcctModel
import AcctPorts
import AcctProtocol

/// Credentials that belong together.
///
/// While new credentials are copied over the old ones a token may stand beside a key that it is not
/// bound to: a request with both would be refused, and a renewal may end the session. The
/// account's file says which key it is, and whether a copy is under way.
extension CredentialStore {
  /// Makes sure that a key is the one that the account's tokens are bound to.
  ///
  /// - Throws: ``KeyringError/halfReplaced(_:)``.
  func requireOwn(_ key: DPoPKey?) throws(EngineError) {
    guard let key, account.tokenType == .dpop, let thumbprint = account.thumbprint, thumbprint != key.thumbprint
    else { return }
    throw .keyring(.halfReplaced(account.name))
  }

  /// Reads what is needed to make an authorized request, with the account as it is then.
  ///
  /// No lock is held to read; but where another process is just replacing the credentials, it is
  /// waited for, and if it was interrupted, its work is ended first.
  ///
  /// - Parameters:
  ///   - account: Whose credentials.
  ///   - context: Everything outside.
  /// - Returns: The account, and its credentials.
  /// - Throws: ``EngineError``; ``KeyringError/halfReplaced(_:)`` if the process that replaced them
  ///   was interrupted.
  static func readWhole(of account: Account, in context: EngineContext) async throws(EngineError) -> Credentials {
    if account.incoming?.isWhole != true {
      do throws(EngineError) {
        return try await CredentialStore(of: account, in: context).read()
      } catch .keyring(.halfReplaced) {}
    }
    // To use what there is takes no engine: it is asked for a renewal, or after a refusal.
    return try await context.withExclusiveAccess(to: account, allowingCopy: true) {
      (_, credentialStore) throws(EngineError) in
      try await credentialStore.read()
    }
  }
}
