package import AcctModel
import AcctPorts
package import AcctProtocol
package import StrictJSON

/// The DPoP key of an account: shown, or put back.
package struct AccountKey: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) {
    self.context = context
  }

  /// Reads the key.
  ///
  /// - Throws: ``EngineError/noKey(_:)`` for a bearer account.
  package func key(of account: Account) async throws(EngineError) -> DPoPKey {
    guard
      let key = try await CredentialStore.readWhole(of: account, in: context).contents
        .key
    else {
      throw .noKey(account.name)
    }
    return key
  }

  /// Stores a key, if it is the one that the account's tokens are bound to.
  ///
  /// - Parameters:
  ///   - jwk: A private JWK, bare or wrapped as a backend hands it over.
  ///   - account: Whose key it is to be.
  /// - Returns: The key.
  /// - Throws: ``EngineError/key(_:)``, ``EngineError/otherKey(account:)``; nothing is stored.
  package func replace(
    with jwk: JSON,
    for account: Account
  ) async throws(EngineError) -> DPoPKey {
    let key: DPoPKey
    do { key = try DPoPKey(jwk: jwk) } catch { throw .key(error) }
    guard account.tokenType == .dpop else { throw .noKey(account.name) }
    guard account.thumbprint == nil || account.thumbprint == key.thumbprint else {
      throw .otherKey(account: account.name)
    }
    let accountStore = AccountStore(context.world.files)
    try await accountStore.exclusively(account.id) { () throws(EngineError) in
      let current = try await ReplaceCredentials(context)
        .settled(accountStore.account(account.id) ?? account)
      try await CredentialStore(of: current, in: context)
        .write([.init(.keypair, key.privateJWK)])
    }
    return key
  }
}
