package import AcctCrypto
import AcctModel
package import AcctPorts
package import PrivateFiles

/// An embedded keyring: a folder with one small encrypted file per item, opened by a passphrase.
///
/// ``keyring`` and ``vault`` are two views of one store; made of the same one they agree on what
/// is open. Nothing here is ever deleted because it cannot be read: damage is reported, and left
/// for its owner to restore from a backup.
package final class VaultStore: Sendable {
  let folder: PrivateFolder
  let opener: VaultKeyOpener
  let entropy: Entropy

  static let headerName = "header"
  /// For creation and changes of the header; items are replaced atomically and need none.
  static let lockName = ".lock"
  /// The time to wait for another process, in seconds: a keyring's deadline.
  static let timeout = 5

  /// Names a vault; nothing is opened or created yet.
  ///
  /// - Parameters:
  ///   - folder: The folder of the vault, which need not exist yet.
  ///   - passphrases: The source of its passphrases.
  ///   - kernel: The kernel's store for the opened key.
  ///   - sealedKey: Opens it without a passphrase once it is sealed.
  ///   - kdf: The cost of one guess at a new passphrase.
  ///   - entropy: For keys, salts and nonces.
  package init(
    folder: PrivateFolder,
    passphrases: PassphraseSource,
    kernel: KernelKey = .live,
    sealedKey: SealedKey = .none,
    kdf: KDFParameters = .standard,
    entropy: Entropy
  ) {
    self.folder = folder
    self.entropy = entropy
    opener = VaultKeyOpener(passphrases: passphrases, kernel: kernel, sealedKey: sealedKey, kdf: kdf, entropy: entropy)
  }

  /// Wipes the vault key in this process, since the kernel would not.
  ///
  /// To be called when the work is done: the process's memory is to hold no secret then.
  package func end() { opener.cache.end() }

  /// The header, or `nil` if there is no vault.
  ///
  /// - Throws: ``KeyringFailure/failed(reason:)`` for a damaged header, and for items without one:
  ///   a new header would make them unreadable for good. ``KeyringFailure/unavailable(reason:)``
  ///   if the folder cannot be used.
  func header() throws(KeyringFailure) -> VaultHeader? {
    let contents: [UInt8]?
    do { contents = try folder.read(Self.headerName, limit: VaultHeader.sizeLimit) } catch {
      throw KeyringFailure(unreachable: error)
    }
    guard let contents else {
      guard try itemNames().isEmpty else { throw KeyringFailure(Damage(reason: "its header is missing"), in: folder) }
      return nil
    }
    do { return try VaultHeader(parsing: contents) } catch { throw KeyringFailure(error, in: folder) }
  }

  /// Does something in the folder, and translates a failure into the keyring's terms.
  func inFolder<Result>(_ body: (PrivateFolder) throws(PrivateFilesError) -> Result) throws(KeyringFailure) -> Result {
    do { return try body(folder) } catch { throw KeyringFailure(error) }
  }

  func replace(_ name: String, _ contents: [UInt8]) throws(KeyringFailure) {
    try inFolder { folder throws(PrivateFilesError) in try folder.replace(name, contents.span) }
  }

  /// The files of the folder that are items.
  func itemNames() throws(KeyringFailure) -> [(account: AccountID, kind: ItemKind)] {
    do { return try folder.names().compactMap(ItemKind.parse) } catch { throw KeyringFailure(unreachable: error) }
  }

  /// Excludes other processes from making the vault, or changing its header, during `body`.
  func alone<Result>(_ body: () throws(KeyringFailure) -> Result) async throws(KeyringFailure) -> Result {
    let lock: FolderLock
    do { lock = try await folder.lock(Self.lockName, seconds: Self.timeout) } catch { throw KeyringFailure(error) }
    defer { lock.release() }
    return try body()
  }
}

extension KeyringFailure {
  /// The vault as a whole, and not one item of it, could not be read.
  init(unreachable error: PrivateFilesError) {
    let failure = KeyringFailure(error)
    if case .failed(let reason) = failure {
      self = .unavailable(reason: reason)
    } else {
      self = failure
    }
  }

  init(_ damage: Damage, in folder: PrivateFolder) {
    self = .failed(reason: "the vault in \(folder.path) is damaged: \(damage.reason)")
  }
}

extension VaultStore {
  /// Opens the vault if there is one, and else makes it, under a new passphrase.
  func openOrMake(_ interaction: Interaction) async throws(KeyringFailure) -> OpenVaultKey {
    if let header = try header() { return try await opener.open(header, interaction) }
    // All that takes time, a person's or scrypt's, is done before the lock is taken.
    let new = try opener.make(for: "the vault in \(folder.path)", interaction)
    let other = try await alone { () throws(KeyringFailure) in
      if let other = try header() { return other as VaultHeader? }
      try write(new.header)
      return nil
    }
    // Another process was faster; its vault is used, if our passphrase opens it.
    if let other { return try opener.open(other, by: new.passphrase) }
    let cachedFor = opener.keep(new.key, openedBy: new.passphrase, of: new.header)
    return OpenVaultKey(key: new.key, cachedFor: cachedFor)
  }

  func write(_ header: VaultHeader) throws(KeyringFailure) { try replace(Self.headerName, header.serialized()) }
}
