package import AcctCrypto
package import Secrets
package import AcctPorts

/// Opens the key of a vault, and makes one: by passphrase, by the TPM that it is sealed in, or by the key that an
/// earlier call has stored.
///
/// The contents of a vault, and the place of its header, are its owner's business.
package struct VaultKeyOpener: Sendable {
  var passphrases: PassphraseSource
  /// The store for opened keys between two calls.
  package let cache: VaultKeyCache
  /// Opens a sealed vault.
  let sealedKey: SealedKey
  let kdf: KDFParameters
  let entropy: Entropy

  /// Names the means that open a vault; nothing is read or asked for yet.
  ///
  /// - Parameters:
  ///   - passphrases: The source of passphrases.
  ///   - kernel: The kernel's store for the opened key.
  ///   - sealedKey: Opens a vault that is sealed in a TPM.
  ///   - kdf: The cost of one guess at a new passphrase.
  ///   - entropy: For keys, salts and nonces.
  package init(
    passphrases: PassphraseSource,
    kernel: KernelKey,
    sealedKey: SealedKey = .none,
    kdf: KDFParameters = .standard,
    entropy: Entropy
  ) {
    self.passphrases = passphrases
    self.sealedKey = sealedKey
    self.kdf = kdf
    self.entropy = entropy
    cache = VaultKeyCache(kernel)
  }

  /// Opens the vault with this header.
  ///
  /// A stored key is used as it is, unless a given passphrase can't be the right one. The passphrase of a
  /// sealed vault is for recovery: it is not looked at while the key is stored, or its TPM opens it.
  ///
  /// - Parameters:
  ///   - header: The vault's header.
  ///   - interaction: Decides if a person may be asked for the passphrase.
  ///   - keeping: `true` to store the key afterwards.
  ///   - patience: The time limit for the TPM of a sealed vault.
  /// - Returns: The vault key.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` without the right passphrase.
  func open(
    _ header: VaultHeader,
    _ interaction: Interaction,
    keeping: Bool = true,
    patience: DeviceTimeout = .full
  ) async throws(KeyringFailure) -> OpenVaultKey {
    if let seal = header.seal { return try await open(header, seal, interaction, keeping: keeping, patience) }
    return try openByPassphrase(header, interaction, keeping: keeping)
  }

  /// Opens the vault with this header, which is sealed or not, without its TPM.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` without the right passphrase.
  package func openByPassphrase(
    _ header: VaultHeader,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> OpenVaultKey {
    let given: Passphrase?
    do { given = try passphrases.given() } catch { throw KeyringFailure(error) }
    if let cached = cache.key(of: header), given.map({ $0.candidates.contains(where: cached.isPlausible) }) ?? true {
      return OpenVaultKey(key: cached.vaultKey, cachedFor: keeping ? cache.extend(header) : nil)
    }
    if let given { return try open(header, by: given, keeping: keeping) }
    return try openByPerson(header, interaction, keeping: keeping)
  }

  /// Opens the vault with this header by a passphrase that a person enters, who may be wrong twice.
  private func openByPerson(
    _ header: VaultHeader,
    _ interaction: Interaction,
    keeping: Bool
  ) throws(KeyringFailure) -> OpenVaultKey {
    for attempt in 0..<3 {
      let passphrase: Passphrase
      do { passphrase = try passphrases.asked(interaction, isRepeated: attempt > 0) } catch {
        throw KeyringFailure(error)
      }
      if let key = try openIfRight(header, by: passphrase, keeping: keeping) { return key }
    }
    throw .locked(reason: "the passphrase is wrong", openedBy: .otherPassphrase(file: nil))
  }

  /// Opens the vault with this header by one passphrase, even if its key is stored.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` for a wrong passphrase.
  func open(
    _ header: VaultHeader,
    by passphrase: Passphrase,
    keeping: Bool = true
  ) throws(KeyringFailure) -> OpenVaultKey {
    guard let key = try openIfRight(header, by: passphrase, keeping: keeping) else {
      throw .locked(reason: "\(passphrase.source) is wrong", openedBy: .otherPassphrase(file: passphrase.file))
    }
    return key
  }

  /// The same; `nil` for a wrong passphrase.
  private func openIfRight(
    _ header: VaultHeader,
    by passphrase: Passphrase,
    keeping: Bool
  ) throws(KeyringFailure) -> OpenVaultKey? {
    for secret in passphrase.candidates {
      let opened: Secret?
      do { opened = try header.vaultKey(secret) } catch { throw KeyringFailure(error) }
      guard let key = opened else { continue }
      let cachedFor = keeping ? cache.keep(CachedVaultKey(key, openedBy: secret), of: header) : nil
      return OpenVaultKey(key: key, cachedFor: cachedFor)
    }
    return nil
  }

  /// The passphrase of an existing vault: the given one, else one that is asked for.
  func passphrase(_ interaction: Interaction) throws(KeyringFailure) -> Passphrase {
    do {
      let given = try passphrases.given()
      return if let given { given } else { try passphrases.asked(interaction) }
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// Makes a key, wrapped by the given passphrase, else by one that is asked for.
  ///
  /// It takes time, a person's or scrypt's, and belongs before a lock is taken.
  ///
  /// - Parameters:
  ///   - place: What the key opens, and where that is: `the vault in /home/alice/.local/share/acct/vault`.
  ///   - interaction: Decides if a person may be asked.
  /// - Returns: The key.
  /// - Throws: ``KeyringFailure``.
  package func make(for place: String, _ interaction: Interaction) throws(KeyringFailure) -> NewVaultKey {
    let passphrase: Passphrase
    do {
      let given = try passphrases.givenForNew()
      passphrase = if let given { given } else { try passphrases.new(for: place, entropy, interaction) }
    } catch {
      throw KeyringFailure(error)
    }
    var random = entropy.bytes(AESGCM.keyCount)
    let key = Secret(consuming: &random)
    return NewVaultKey(key: key, header: try wrap(key, by: passphrase), passphrase: passphrase)
  }

  /// Wraps a key by a passphrase.
  func wrap(_ key: Secret, by passphrase: Passphrase) throws(KeyringFailure) -> VaultHeader {
    do {
      return try VaultHeader(wrapping: key, by: passphrase.secret, kdf: kdf, entropy: entropy)
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// Stores a key; returns for how many seconds the kernel keeps it, `nil` if it refuses.
  func keep(_ key: Secret, openedBy passphrase: Passphrase, of header: VaultHeader) -> Int? {
    cache.keep(CachedVaultKey(key, openedBy: passphrase.secret), of: header)
  }
}

/// A vault key in use.
package struct OpenVaultKey {
  package let key: Secret
  /// For how many seconds the kernel keeps it from now on; `nil` where it does not.
  let cachedFor: Int?
}

/// A key that was just made, and the header that its vault must have.
package struct NewVaultKey {
  let key: Secret
  package let header: VaultHeader
  let passphrase: Passphrase
}
