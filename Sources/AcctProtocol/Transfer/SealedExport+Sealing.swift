package import AcctCrypto
package import Secrets

extension SealedExport {
  /// The number of random bytes that ``init(sealing:under:kdf:random:)`` takes.
  package static let randomCount = saltCount + AESGCM.nonceCount

  /// Seals contents under a passphrase.
  ///
  /// - Parameters:
  ///   - contents: The contents of the export.
  ///   - passphrase: The passphrase, in bytes as it was given.
  ///   - kdf: The cost of one guess at the passphrase.
  ///   - random: ``randomCount`` unpredictable bytes, used for nothing else.
  /// - Throws: ``SealedExportError/libraryFailed``.
  package init(
    sealing contents: Secret,
    under passphrase: Secret,
    kdf: KDFParameters = .travelling,
    random: [UInt8]
  ) throws(SealedExportError) {
    let bare = SealedExport(
      kdf: kdf,
      salt: Array(random.prefix(Self.saltCount)),
      nonce: Array(random.dropFirst(Self.saltCount)),
      sealed: []
    )
    let sealed: [UInt8]
    do {
      sealed = try AESGCM.seal(
        contents,
        key: bare.key(passphrase),
        nonce: bare.nonce,
        associatedData: bare.associatedData
      )
    } catch {
      throw .libraryFailed
    }
    self.init(kdf: kdf, salt: bare.salt, nonce: bare.nonce, sealed: sealed)
  }

  /// Opens the contents.
  ///
  /// - Parameter passphrase: The passphrase.
  /// - Returns: The contents.
  /// - Throws: ``SealedExportError/notOpened``, ``SealedExportError/libraryFailed``.
  package func opened(with passphrase: Secret) throws(SealedExportError) -> Secret {
    do {
      return try AESGCM.open(sealed, key: key(passphrase), nonce: nonce, associatedData: associatedData)
    } catch {
      throw error == .authenticationFailed ? .notOpened : .libraryFailed
    }
  }

  private func key(_ passphrase: Secret) throws(CryptoError) -> Secret {
    try Scrypt.deriveKey(passphrase: passphrase, salt: salt, parameters: kdf)
  }
}
