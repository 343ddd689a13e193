package import AcctCrypto
package import AcctModel
package import AcctPorts
import Glibc
import PrivateFiles
package import Secrets

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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` without the right passphrase.
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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` without the right passphrase.
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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` for a wrong passphrase.
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
    let passphrase = try newPassphrase(for: place, interaction)
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

extension VaultKeyOpener {
  /// Opens a sealed vault: by the stored key, by its TPM, and else by passphrase.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/sealed(in:_:reason:)``, with the problems of both, if neither
  ///   opens it.
  func open(
    _ header: VaultHeader,
    _ seal: VaultSeal,
    _ interaction: Interaction,
    keeping: Bool,
    _ patience: DeviceTimeout
  ) async throws(KeyringFailure) -> OpenVaultKey {
    if let cached = cache.key(of: header) {
      return OpenVaultKey(key: cached.vaultKey, cachedFor: keeping ? cache.extend(header) : nil)
    }
    let failure: HardwareKeyFailure
    do throws(HardwareKeyFailure) {
      let key = try await sealedKey.unseal(seal.blob, seal.address, patience)
      guard header.isSealIntact(key) else { throw .unsuitable(reason: "it is not this vault's") }
      let cachedFor = keeping ? keepSealed(key, of: header) : nil
      return OpenVaultKey(key: key, cachedFor: cachedFor)
    } catch {
      failure = error
    }
    let opened: OpenVaultKey
    do throws(KeyringFailure) {
      opened = try openByPassphrase(header, interaction, keeping: keeping)
    } catch .locked(let reason, _) {
      throw .sealed(in: seal.address, failure, reason: reason)
    }
    guard header.isSealIntact(opened.key) else {
      throw .failed(reason: "what is sealed in the TPM is not this vault's key; `acct vault unseal` removes it")
    }
    return opened
  }

  /// Seals a vault key in a TPM, as the second wrap of its header, and opens it again to be sure.
  func seal(
    _ key: Secret,
    of header: VaultHeader,
    in address: TPMAddress
  ) async throws(HardwareKeyFailure) -> VaultHeader {
    let blob = try await sealedKey.seal(key, address)
    guard VaultSeal.fits(blob, address) else {
      throw .unsuitable(reason: "what it sealed does not fit into the vault's header")
    }
    guard try await sealedKey.unseal(blob, address, .full) == key else {
      throw .malformedReply(reason: "it does not open what it has just sealed")
    }
    return header.sealed(key, as: blob, by: address)
  }

  /// Why the TPM of a sealed vault does not open it; `nil` if it does.
  ///
  /// Nothing is stored, and a TPM that others use is busy after a moment.
  func failure(of seal: VaultSeal, in header: VaultHeader) async -> HardwareKeyFailure? {
    do throws(HardwareKeyFailure) {
      let key = try await sealedKey.unseal(seal.blob, seal.address, .brief)
      return header.isSealIntact(key) ? nil : .unsuitable(reason: "it is not this vault's")
    } catch {
      return error
    }
  }

  /// Stores the key of a sealed vault; returns for how many seconds the kernel keeps it.
  ///
  /// No passphrase opened it, and none is compared with it.
  func keepSealed(_ key: Secret, of header: VaultHeader) -> Int? {
    cache.keep(CachedVaultKey(key, openedBy: Secret("")), of: header)
  }
}

/// Opens and makes objects that a TPM seals, for the keys of vaults.
///
/// Both are handed over: this room knows no TPM.
package struct SealedKey: Sendable {
  package typealias Seal = @Sendable (Secret, TPMAddress) async throws(HardwareKeyFailure) -> [UInt8]
  package typealias Unseal =
    @Sendable (_ blob: [UInt8], TPMAddress, DeviceTimeout)
    async
    throws(HardwareKeyFailure) -> Secret

  let seal: Seal
  let unseal: Unseal

  package init(seal: @escaping Seal, unseal: @escaping Unseal) {
    self.seal = seal
    self.unseal = unseal
  }

  /// A place where nothing can be sealed, and nothing was.
  package static let none = SealedKey(
    seal: { _, _ throws(HardwareKeyFailure) in throw absent },
    unseal: { _, _, _ throws(HardwareKeyFailure) in throw absent }
  )

  private static let absent = HardwareKeyFailure.absent(reason: "there is no TPM")
}

/// The parts of a vault's opener that a shared keyring uses: passphrases, their cost, and the place of an opened key
/// between two calls.
extension VaultKeyOpener {
  /// The cost of a guess at a new passphrase.
  package var cost: KDFParameters { kdf }

  /// The passphrase of the file or credential, if there is one.
  package func given() throws(KeyringFailure) -> Passphrase? {
    do { return try passphrases.given() } catch { throw KeyringFailure(error) }
  }

  /// The passphrase that a person enters.
  package func asked(_ interaction: Interaction, isRepeated: Bool) throws(KeyringFailure) -> Secret {
    do { return try passphrases.asked(interaction, isRepeated: isRepeated).secret } catch {
      throw KeyringFailure(error)
    }
  }

  /// A passphrase for a keyring that is made now: the given one, else one that is asked for.
  package func new(for place: String, _ interaction: Interaction) throws(KeyringFailure) -> Secret {
    try newPassphrase(for: place, interaction).secret
  }

  private func newPassphrase(for place: String, _ interaction: Interaction) throws(KeyringFailure) -> Passphrase {
    do {
      if let given = try passphrases.givenForNew() { return given }
      return try passphrases.new(for: place, entropy, interaction)
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// A passphrase to be used from now on, in a file that the user names.
  package func new(file: String) throws(KeyringFailure) -> Passphrase {
    do { return try passphrases.new(file: file, entropy, .forbidden) } catch { throw KeyringFailure(error) }
  }

  /// The passphrase of a vault's header, which has to open it: the given one, else one that is asked for.
  package func passphrase(of header: VaultHeader, _ interaction: Interaction) throws(KeyringFailure) -> Secret {
    let passphrase = try passphrase(interaction)
    _ = try open(header, by: passphrase, keeping: false)
    return passphrase.secret
  }

  /// `true` if a passphrase opens a vault's header.
  package func opens(_ header: VaultHeader, _ passphrase: Secret) throws(KeyringFailure) -> Bool {
    do { return try header.vaultKey(passphrase) != nil } catch { throw KeyringFailure(error) }
  }

  /// This opener with the passphrase of a file, and no other.
  package func reading(_ file: String) -> VaultKeyOpener {
    var opener = self
    opener.passphrases.file = file
    return opener
  }

  /// This opener with a passphrase that a person has entered, and no other.
  package func entered(_ passphrase: Secret) -> VaultKeyOpener {
    var opener = self
    opener.passphrases.entered = passphrase
    return opener
  }

  /// The stored key of this name; `nil` if there is none, or a given secret can't be the one that opened it.
  package func stored(_ name: String, openedBy given: Secret?) -> Secret? { cache.key(named: name, openedBy: given) }

  /// Stores a key that a secret has opened.
  package func store(_ key: Secret, _ name: String, openedBy secret: Secret) {
    cache.keep(CachedVaultKey(key, openedBy: secret), named: name)
  }

  /// Deletes a key; returns `true` if it is stored nowhere any more.
  package func forget(_ name: String) -> Bool { cache.forget(named: name) }
}

/// A passphrase, and its source, for the error about a wrong one.
package struct Passphrase {
  package let secret: Secret
  /// The secret with the carriage return that ended its line in a file; a vault may have been made with it.
  var asWritten: Secret?
  /// The file that it is from.
  package var file: String?

  /// Such as "the passphrase in /run/pass".
  package var source: String { file.map { "the passphrase in \($0)" } ?? "the passphrase" }
  /// The passphrases that the input may mean, the likelier one first.
  package var candidates: [Secret] { [secret] + [asWritten].compactMap(\.self) }
}

/// Why there is no passphrase, in words that follow a colon.
struct NoPassphrase: Error, Equatable {
  let reason: String
  /// The file that should have it.
  var file: String?
  /// `true` if a prompt was shown and not answered.
  var isCancelled = false
}

extension Passphrase {
  /// Reads a passphrase from a file, dropping one LF or CRLF at its end.
  ///
  /// - Returns: `nil` if there is no such file.
  /// - Throws: ``NoPassphrase``.
  static func read(_ path: String, _ rule: FileRule) throws(NoPassphrase) -> Passphrase? {
    let contents: Secret
    do {
      var bytes = try Descriptor.trustedBytes(path, rule, limit: 4096)
      contents = Secret(consuming: &bytes)
    } catch {
      if error == .notThere { return nil }
      throw NoPassphrase(reason: "\(path): \(error.reason)", file: path)
    }
    let (secret, asWritten) = contents.withoutLineEnd
    guard secret.count > 0 else { throw NoPassphrase(reason: "\(path): it is empty", file: path) }
    return Passphrase(secret: secret, asWritten: asWritten, file: path)
  }
}
