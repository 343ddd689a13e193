package import AcctModel
import AcctPorts
package import AcctProtocol
package import StrictJSON

/// The DPoP key of an account: shown, or put back.
package struct AccountKey: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Reads the key.
  ///
  /// - Throws: ``KeyError/missing(_:)`` for a bearer account.
  package func key(of account: Account) async throws(EngineError) -> DPoPKey {
    let credentials = try await CredentialStore.readWhole(of: account, in: context)
    guard let key = credentials.key else { throw .key(.missing(account.name)) }
    return key
  }

  /// Stores a key, if it is the one that the account's tokens are bound to.
  ///
  /// - Parameters:
  ///   - jwk: A private JWK, bare or wrapped as a backend hands it over.
  ///   - account: Whose key it is to be.
  /// - Returns: The key.
  /// - Throws: ``KeyError/unusable(_:)``, ``KeyError/other(account:)``; nothing is stored.
  package func replace(
    with jwk: JSON,
    for account: Account
  ) async throws(EngineError) -> DPoPKey {
    let key: DPoPKey
    do { key = try DPoPKey(jwk: jwk) } catch { throw .key(.unusable(error)) }
    guard account.tokenType == .dpop else { throw .key(.missing(account.name)) }
    guard account.thumbprint == nil || account.thumbprint == key.thumbprint else {
      throw .key(.other(account: account.name))
    }
    try await context.withExclusiveAccess(to: account) {
      (_, credentialStore) throws(EngineError) in
      try await credentialStore.write([.init(.keypair, key.privateJWK)])
    }
    return key
  }
}
