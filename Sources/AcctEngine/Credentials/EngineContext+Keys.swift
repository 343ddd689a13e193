package import AcctModel
import Secrets
package import AcctPorts
package import AcctProtocol

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

  /// The key in a device that an account had before it got new credentials.
  package func replacedKey(of added: AddAccount.Added) -> StoredHardwareKey? {
    guard let item = added.before?.items[.keypair] else { return nil }
    return try? key(item, of: added.account).hardware?.stored
  }

  private func key(_ stored: StoredHardwareKey) throws(JWKError) -> HardwareKey {
    guard let devices else { throw .unsupportedStorage }
    return try devices.open(stored, self)
  }

  /// Reads the certificate of a client, and its key or the URI of the token that has it, from keyring items.
  ///
  /// In a shared keyring, another machine may have written them: no module that they name is loaded.
  ///
  /// - Throws: ``CertifiedKeyError``.
  func certifiedKey(_ certificate: Secret, _ key: Secret, in keyring: Keyring) throws(CertifiedKeyError) -> CertifiedKey
  {
    // Anything else that can't be read is no key in PEM.
    guard let object = key.tokenURI.flatMap({ try? objectInToken($0) }) else {
      return try CertifiedKey(certificate: certificate, key: key)
    }
    guard keyring.accounts == nil else { throw .key }
    return try CertifiedKey(certificate: certificate, in: object.uri, by: object.sign)
  }
}

extension Secret {
  /// The URI that a keyring item names in the place of a key; `nil` for anything else.
  fileprivate var tokenURI: String? {
    let first = Array("pkcs11:".utf8)
    let isURI = withBytes { bytes in bytes.count > first.count && first.indices.allSatisfy { bytes[$0] == first[$0] } }
    return isURI ? shownText : nil
  }
}

extension CredentialStore {
  /// The keyring's item of the account's key, if that is in a device.
  package func storedHardwareKey() async throws(EngineError) -> StoredHardwareKey? {
    guard let item = try await items([.keypair])[.keypair] else { return nil }
    do throws(JWKError) {
      return try context.key(item, in: keyring).hardware?.stored
    } catch { throw .keyring(.damagedItem(account.name, .keypair)) }
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
