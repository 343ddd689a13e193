package import AcctCrypto
package import Secrets
package import AcctPorts

extension VaultHeader {
  /// Wraps a vault key by a passphrase, under a salt and a nonce of its own.
  ///
  /// - Throws: ``CryptoError`` if the library fails.
  package init(wrapping key: Secret, by passphrase: Secret, kdf: KDFParameters, entropy: Entropy) throws(CryptoError) {
    let salt = entropy.bytes(Self.saltCount)
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let bare = VaultHeader(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: [])
    let wrapped = try AESGCM.seal(
      key,
      key: bare.wrappingKey(passphrase),
      nonce: nonce,
      associatedData: bare.associatedData
    )
    self.init(kdf: kdf, salt: salt, nonce: nonce, wrappedKey: wrapped)
  }

  /// Unwraps the vault key.
  ///
  /// - Returns: `nil` if the passphrase is not the one.
  /// - Throws: ``CryptoError`` if the library fails.
  func vaultKey(_ passphrase: Secret) throws(CryptoError) -> Secret? {
    let wrappingKey = try wrappingKey(passphrase)
    do {
      return try AESGCM.open(wrappedKey, key: wrappingKey, nonce: nonce, associatedData: associatedData)
    } catch {
      guard error == .authenticationFailed else { throw error }
      return nil
    }
  }

  private func wrappingKey(_ passphrase: Secret) throws(CryptoError) -> Secret {
    try Scrypt.deriveKey(passphrase: passphrase, salt: salt, parameters: kdf)
  }
}
