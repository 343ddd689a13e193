import AcctCrypto
import AcctModel
import AcctPorts
import PrivateFiles

/// A vault key in use.
struct OpenVault {
  let key: Secret
  /// For how many seconds the kernel keeps it from now on; `nil` where it does not.
  let cachedFor: Int?
}

extension VaultStore {
  /// Opens the vault with this header.
  ///
  /// A stored key is used as it is, unless a given passphrase can't be the right one.
  ///
  /// - Parameters:
  ///   - header: The vault's header.
  ///   - interaction: Whether a person may be asked for the passphrase.
  ///   - keeping: Whether to store the key afterwards.
  /// - Returns: The vault key.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` without the right passphrase.
  func open(
    _ header: VaultHeader,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> OpenVault {
    let passphrase: Passphrase
    do {
      let given = try passphrases.given()
      if let cached = keyCache.key(of: header), given.map({ cached.isPlausible($0.secret) }) ?? true
      {
        return OpenVault(key: cached.vaultKey, cachedFor: keeping ? keyCache.extend(header) : nil)
      }
      passphrase = if let given { given } else { try passphrases.asked(interaction) }
    } catch {
      throw KeyringFailure(error)
    }
    return try open(header, by: passphrase, keeping: keeping)
  }

  /// Opens the vault if there is one, and else makes it, under a new passphrase.
  ///
  /// - Throws: ``KeyringFailure``.
  func openOrMake(_ interaction: Interaction) async throws(KeyringFailure) -> OpenVault {
    if let header = try header() { return try open(header, interaction) }
    // All that takes time, a person's or scrypt's, is done before the lock is taken.
    let passphrase: Passphrase
    do {
      let given = try passphrases.given()
      passphrase = if let given { given } else { try passphrases.new(interaction) }
    } catch {
      throw KeyringFailure(error)
    }
    var random = entropy.bytes(AESGCM.keyCount)
    let key = Secret(consuming: &random)
    let made = try wrap(key, by: passphrase)
    let other = try await alone { () throws(KeyringFailure) in
      if let other = try header() { return other as VaultHeader? }
      try write(made)
      return nil
    }
    // Another process was faster; its vault is used, if our passphrase opens it.
    if let other { return try open(other, by: passphrase, keeping: true) }
    let cached = CachedVaultKey(key, openedBy: passphrase.secret)
    return OpenVault(key: key, cachedFor: keyCache.keep(cached, of: made))
  }

  func wrap(_ key: Secret, by passphrase: Passphrase) throws(KeyringFailure) -> VaultHeader {
    do {
      return try VaultHeader(wrapping: key, by: passphrase.secret, kdf: kdf, entropy: entropy)
    } catch {
      throw KeyringFailure(error)
    }
  }

  func write(_ header: VaultHeader) throws(KeyringFailure) {
    try replace(Self.headerName, header.serialized())
  }

  private func open(
    _ header: VaultHeader,
    by passphrase: Passphrase,
    keeping: Bool
  ) throws(KeyringFailure) -> OpenVault {
    let opened: Secret?
    do { opened = try header.vaultKey(passphrase.secret) } catch { throw KeyringFailure(error) }
    guard let key = opened else { throw .locked(reason: "\(passphrase.source) is wrong") }
    let cached = CachedVaultKey(key, openedBy: passphrase.secret)
    return OpenVault(key: key, cachedFor: keeping ? keyCache.keep(cached, of: header) : nil)
  }
}
