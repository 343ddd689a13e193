package import AcctModel
import AcctPorts
package import AcctProtocol
package import Secrets
package import StrictJSON

/// Shows or replaces the DPoP key of an account.
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

  /// The private JWK.
  ///
  /// - Throws: ``KeyError/inDevice(_:_:)`` for a key that its device does not give out.
  package func privateJWK(of account: Account) async throws(EngineError) -> Secret {
    let key = try await key(of: account)
    guard let jwk = key.privateJWK else { throw .key(.inDevice(account.name, key.storage)) }
    return jwk
  }

  /// Stores a key, if it is the one that the account's tokens are bound to.
  ///
  /// - Parameters:
  ///   - jwk: A private JWK, bare or wrapped as a backend hands it over.
  ///   - account: The account whose key it is to be.
  /// - Returns: The key.
  /// - Throws: ``KeyError/unusable(_:)``, ``KeyError/other(account:)``; nothing is stored.
  package func replace(with jwk: JSON, for account: Account) async throws(EngineError) -> DPoPKey {
    let key: DPoPKey
    do { key = try DPoPKey(jwk: jwk) } catch { throw .key(.unusable(error)) }
    guard account.tokenType == .dpop else { throw .key(.missing(account.name)) }
    guard account.keyStorage == .software else { throw .key(.inDevice(account.name, account.keyStorage)) }
    guard account.thumbprint == nil || account.thumbprint == key.thumbprint else {
      throw .key(.other(account: account.name))
    }
    try await context.withExclusiveAccess(to: account) {
      (account, credentialStore) throws(EngineError) in
      try await credentialStore.write([.init(.keypair, key.item)])
      // Not every keyring announces the change: a proxy notices it by the file.
      try credentialStore.saveWritten(account)
    }
    return key
  }
}

/// Asks for the PINs of keys before a program serves others, while a person is still present.
package struct UnlockHardwareKeys: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Signs something once with each account's key that is in a device.
  ///
  /// - Throws: ``KeyError/hardware(_:_:)``.
  package func unlock(_ accounts: some Sequence<Account>) async throws(EngineError) {
    for account in accounts where account.keyStorage != .software {
      let key = try await AccountKey(context).key(of: account)
      guard let hardware = key.hardware else { continue }
      do { try await hardware.tryOut() } catch { throw .key(.hardware(error, key.storage)) }
    }
  }
}
