package import AcctModel
import Secrets
package import AcctPorts
import AcctProtocol

extension EngineContext {
  /// Reads the key that a keyring item contains or refers to; the device is not asked.
  ///
  /// Every reader of the item uses this.
  ///
  /// - Throws: ``JWKError`` for an item that acct does not write.
  func key(_ item: Secret) throws(JWKError) -> DPoPKey {
    switch try StoredDPoPKey(item) {
    case .software(let key): key
    case .hardware(let stored): DPoPKey(try key(stored))
    }
  }

  /// Reads the key in an item of this keyring.
  ///
  /// In a shared keyring, another machine may have written the item: no device or module that it names is opened.
  func key(_ item: Secret, in keyring: Keyring) throws(JWKError) -> DPoPKey {
    let key = try key(item)
    guard keyring.accounts == nil || key.hardware == nil else { throw .unsupportedStorage }
    return key
  }

  /// Reads the key in an item of the account's keyring.
  func key(_ item: Secret, of account: Account) throws(JWKError) -> DPoPKey {
    let keyring: Keyring
    do { keyring = try KeyringChoice(world).keyring(of: account) } catch { throw .unsupportedStorage }
    return try key(item, in: keyring)
  }

  private func key(_ stored: StoredHardwareKey) throws(JWKError) -> HardwareKey {
    if case .tpm2(let blob, _) = stored.reference {
      let point: HardwareKeyPoint?
      do throws(HardwareKeyFailure) {
        point = try world.hardwareKeys.tpm.read(blob).point
      } catch .absent {
        point = nil
      } catch { throw .unsupportedStorage }
      if let point, (point.x, point.y) != stored.point { throw .coordinateMismatch(.x) }
    }
    return hardwareKey(stored)
  }

  /// Reads the certificate of a client, and its key or the URI of the token that has it, from keyring items.
  ///
  /// In a shared keyring, another machine may have written them: no module that they name is loaded.
  ///
  /// - Throws: ``CertifiedKeyError``.
  func certifiedKey(_ certificate: Secret, _ key: Secret, in keyring: Keyring) throws(CertifiedKeyError) -> CertifiedKey
  {
    guard let uri = key.tokenURI else { return try CertifiedKey(certificate: certificate, key: key) }
    guard keyring.accounts == nil else { throw .key }
    return try CertifiedKey(certificate: certificate, in: uri, by: signer(for: uri))
  }

  /// Signs with a key in a token.
  func signer(for uri: PKCS11URI) -> CertifiedKey.Signer {
    { digest throws(HardwareKeyFailure) in
      try await deviceKeys.access(to: .pkcs11(uri)).use(in: self) { holder throws(HardwareKeyFailure) in
        try await world.hardwareKeys.pkcs11.sign(uri, digest, holder)
      }
    }
  }

  /// The key with the access to its device.
  func hardwareKey(_ stored: StoredHardwareKey) -> HardwareKey {
    HardwareKey(stored) { digest throws(HardwareKeyFailure) in
      try await deviceKeys.access(to: stored.reference).use(in: self) {
        holder throws(HardwareKeyFailure) in
        switch stored.reference {
        case .tpm2(let blob, let address): try await world.hardwareKeys.tpm.sign(blob, address, digest, holder)
        case .pkcs11(let uri): try await world.hardwareKeys.pkcs11.sign(uri, digest, holder)
        }
      }
    }
  }
}

extension Secret {
  /// The URI that a keyring item names in the place of a key; `nil` for anything else.
  fileprivate var tokenURI: PKCS11URI? {
    let first = Array("pkcs11:".utf8)
    let isURI = withBytes { bytes in bytes.count > first.count && first.indices.allSatisfy { bytes[$0] == first[$0] } }
    return isURI ? try? PKCS11URI(text) : nil
  }
}

extension ProcessEnvironment {
  /// The TPM that a command uses: the named one, else that of `ACCT_TPM`, else the kernel's.
  ///
  /// - Throws: ``InputError/malformed(_:)``.
  package func tpmAddress(_ named: String? = nil) throws(EngineError) -> TPMAddress {
    guard let text = named ?? variable("ACCT_TPM") else { return .standard }
    do { return try TPMAddress(text) } catch { throw .input(.malformed(error)) }
  }
}
