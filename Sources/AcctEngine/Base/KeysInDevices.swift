package import AcctModel
package import AcctProtocol

/// The keys that never leave their devices, for the lifetime of a command.
///
/// The core knows such a key by its item in the keyring, whose place it does not read, and as a value that signs. What a
/// device is, how it is asked and what its PIN is, is not the core's.
package protocol KeysInDevices: AnyObject, Sendable {
  /// Reads the place of a key; its device is not asked.
  ///
  /// - Throws: ``JWKError/unsupportedStorage``, ``JWKError/coordinateMismatch(_:)``.
  func open(_ stored: StoredHardwareKey, _ context: EngineContext) throws(JWKError) -> HardwareKey

  /// Makes a key where the accounts have theirs, of which one or more are in devices.
  func make(besideThoseOf accounts: [Account], _ context: EngineContext) async throws(EngineError) -> DPoPKey

  /// Says why a key can't be used now, without a person.
  ///
  /// - Returns: The reason; `nil` if it can, or if its device does not tell.
  func failure(of stored: StoredHardwareKey, _ context: EngineContext) async -> HardwareKeyFailure?

  /// Removes an account's key from its device, if acct made it and no other account uses it.
  ///
  /// - Returns: A notice about the removal, or its failure.
  func remove(_ stored: StoredHardwareKey, of account: Account, _ context: EngineContext) async -> Notice?

  /// Finds what a `pkcs11:` URI names; its device is not asked.
  ///
  /// - Throws: ``EngineError/told(_:)`` for a malformed URI.
  func object(_ uri: String, _ context: EngineContext) throws(EngineError) -> ObjectInToken
}

/// A certificate or a key in a token.
package struct ObjectInToken: Sendable {
  /// Its URI, as it is kept.
  package let uri: String
  /// Signs with the key.
  package let sign: CertifiedKey.Signer
  /// Reads the certificate, in DER.
  package let certificate: @Sendable () async throws(HardwareKeyFailure) -> [UInt8]

  package init(
    uri: String,
    sign: @escaping CertifiedKey.Signer,
    certificate: @escaping @Sendable () async throws(HardwareKeyFailure) -> [UInt8]
  ) {
    self.uri = uri
    self.sign = sign
    self.certificate = certificate
  }
}

extension EngineContext {
  /// Finds the certificate or the key that a `pkcs11:` URI names.
  func objectInToken(_ uri: String) throws(EngineError) -> ObjectInToken {
    guard let devices else { throw .key(.unusable(.unsupportedStorage)) }
    return try devices.object(uri, self)
  }
}
