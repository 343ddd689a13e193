package import AcctCrypto
import AcctModel
package import AcctPorts
package import PrivateFiles
import Secrets

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
    let vault = "the vault in \(folder.path)"
    self = damage.isNewer ? .newer(part: vault) : .failed(reason: "\(vault) is damaged: \(damage.reason)")
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

  /// Opens and decrypts those of an account's items that are there.
  ///
  /// A missing item is reported whether the vault is locked or not, without a passphrase.
  func read(
    _ account: AccountID,
    _ kinds: [ItemKind],
    _ interaction: Interaction
  ) async throws(KeyringFailure) -> [ItemKind: Secret] {
    guard let header = try header() else { return [:] }
    let files = try files(of: account, kinds)
    guard !files.isEmpty else { return [:] }
    let key = try await opener.open(header, interaction).key
    var secrets: [ItemKind: Secret] = [:]
    for (kind, contents) in files {
      do {
        secrets[kind] = try VaultItem.open(contents, key: kind.key(for: account), vaultKey: key)
      } catch {
        switch error {
        case .damaged(let damage): throw KeyringFailure(damage, in: folder)
        case .libraryFailed(let error): throw KeyringFailure(error)
        }
      }
    }
    return secrets
  }

  func write(_ account: AccountID, _ items: [Keyring.Item], _ interaction: Interaction) async throws(KeyringFailure) {
    let vaultKey = try await openOrMake(interaction).key
    for item in items {
      let key = item.kind.key(for: account)
      let sealed: [UInt8]
      do {
        sealed = try VaultItem.seal(item.secret, key: key, vaultKey: vaultKey, entropy: entropy)
      } catch {
        throw error == .wrongLength
          ? .failed(reason: "\(key) is too large to be stored") : KeyringFailure(error)
      }
      try replace(key, sealed)
    }
  }

  /// Removes items; a locked vault is opened first, as for every keyring.
  func remove(_ account: AccountID, _ kinds: [ItemKind], _ interaction: Interaction) async throws(KeyringFailure) {
    guard let header = try header() else { return }
    let files = try files(of: account, kinds)
    guard !files.isEmpty else { return }
    _ = try await opener.open(header, interaction)
    for kind in files.keys {
      try inFolder { folder throws(PrivateFilesError) in try folder.remove(kind.key(for: account)) }
    }
  }

  private func files(of account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> [ItemKind: [UInt8]] {
    var files: [ItemKind: [UInt8]] = [:]
    for kind in kinds {
      files[kind] = try inFolder { folder throws(PrivateFilesError) in
        try folder.read(kind.key(for: account), limit: VaultItem.sizeLimit)
      }
    }
    return files
  }

  /// The vault as a place that keeps secrets.
  package var keyring: Keyring {
    Keyring(
      kind: .vault,
      read: { account, kinds, interaction throws(KeyringFailure) in try await self.read(account, kinds, interaction) },
      write: { account, items, interaction throws(KeyringFailure) in
        try await self.write(account, items, interaction)
      },
      remove: { account, kinds, interaction throws(KeyringFailure) in
        try await self.remove(account, kinds, interaction)
      },
      list: { () throws(KeyringFailure) in
        var accounts: [AccountID: Set<ItemKind>] = [:]
        for item in try self.itemNames() { accounts[item.account, default: []].insert(item.kind) }
        return accounts
      },
      prepare: { interaction throws(KeyringFailure) in
        _ = try await self.openOrMake(interaction)
        // A full disk has to show before a refresh token is spent, not after.
        try self.inFolder { folder throws(PrivateFilesError) in try folder.checkWritable(size: Self.spaceForRenewal) }
      },
      state: { await self.state() },
      changes: { self.opener.cache.mark }
    )
  }

  /// The most that a renewal writes, in bytes: two tokens and an expiry, generously.
  private static let spaceForRenewal = 32_768

  private func state() async -> Keyring.State {
    do throws(KeyringFailure) {
      if let header = try header() { _ = try await opener.open(header, .forbidden, keeping: false, patience: .brief) }
      return .ready
    } catch .locked, .sealed {
      return .locked
    } catch {
      return .unavailable
    }
  }
}

extension Keyring {
  /// A keyring in a folder, opened by a passphrase; see ``VaultStore``.
  package static func vault(
    folder: PrivateFolder,
    passphrases: PassphraseSource,
    kernel: KernelKey = .live,
    kdf: KDFParameters = .standard,
    entropy: Entropy
  ) -> Keyring {
    VaultStore(folder: folder, passphrases: passphrases, kernel: kernel, kdf: kdf, entropy: entropy).keyring
  }
}

extension VaultStore {
  /// Adds a wrap that a TPM opens, or replaces the one that is there.
  ///
  /// The header is replaced in one write: a process that is killed leaves the old one or the new one.
  func seal(in address: TPMAddress, _ interaction: Interaction) async throws(VaultSealFailure) {
    let old: VaultHeader
    let key: Secret
    do throws(KeyringFailure) {
      old = try existingHeader()
      key = try await opener.open(old, interaction).key
    } catch {
      throw .vault(error)
    }
    let new: VaultHeader
    do throws(HardwareKeyFailure) { new = try await opener.seal(key, of: old, in: address) } catch {
      throw .tpm(error, address)
    }
    do throws(KeyringFailure) { try await replace(old, by: new) } catch { throw .vault(error) }
    _ = opener.keepSealed(key, of: new)
  }

  /// Removes the wrap that a TPM opens, whether that one still does or not.
  ///
  /// The passphrase is given or asked for, also while the vault is open: one that is forgotten is found
  /// out before it is the only key.
  ///
  /// - Returns: `true` if there was one.
  /// - Throws: ``KeyringFailure``.
  func unseal(_ interaction: Interaction) async throws(KeyringFailure) -> Bool {
    let old = try existingHeader()
    guard old.seal != nil else { return false }
    let passphrase = try opener.passphrase(interaction)
    let key = try opener.open(old, by: passphrase, keeping: false).key
    let new = old.with(nil)
    try await replace(old, by: new)
    _ = opener.keep(key, openedBy: passphrase, of: new)
    return true
  }

  /// The vault as a thing with a passphrase.
  package var vault: Vault {
    Vault(
      isThere: { () throws(KeyringFailure) in try self.header() != nil },
      unlock: { interaction throws(KeyringFailure) in try await self.unlock(interaction) },
      lock: { () throws(KeyringFailure) in
        guard self.forgetKey() else { throw .failed(reason: "the kernel did not delete the vault's key") }
      },
      changePassphrase: { file, interaction throws(KeyringFailure) in
        try await self.changePassphrase(file: file, interaction)
      },
      reset: { () throws(KeyringFailure) in try await self.reset() },
      seal: { address, interaction throws(VaultSealFailure) in try await self.seal(in: address, interaction) },
      unseal: { interaction throws(KeyringFailure) in try await self.unseal(interaction) },
      sealedIn: { () throws(KeyringFailure) in try self.header()?.seal?.address },
      checkSeal: { () throws(KeyringFailure) in
        guard let header = try self.header(), let seal = header.seal else { return nil }
        return VaultSealCheck(address: seal.address, failure: await self.opener.failure(of: seal, in: header))
      }
    )
  }

  /// Opens the vault, and keeps its key in the kernel.
  ///
  /// What a person enters has to open it for the next command, too. A file and a TPM open it again.
  private func unlock(_ interaction: Interaction) async throws(KeyringFailure) -> Int? {
    let header = try existingHeader()
    if let seconds = try await opener.open(header, interaction).cachedFor { return seconds }
    let given: Passphrase? = try opener.given()
    guard header.seal == nil, given == nil else { return nil }
    throw .locked(
      reason: "the passphrase is right, and the kernel does not keep the key: \(opener.cache.refusalReason)",
      openedBy: .fileForEach
    )
  }

  /// Deletes the stored key, and those of the user's other vaults and shared keyrings, which a passphrase opens as
  /// well; returns whether this vault's is stored no more.
  ///
  /// The header names it. If that is missing or can't be read, any key that stays may be this vault's.
  private func forgetKey() -> Bool {
    let isForgotten = (try? header()).map(opener.cache.forget)
    let areAllForgotten = opener.cache.forgetAll()
    return isForgotten ?? areAllForgotten
  }

  /// Deletes the items, and then the header: a vault that is left in between is whole, with fewer items.
  private func reset() async throws(KeyringFailure) {
    let hasItems = try !itemNames().isEmpty
    guard hasItems || folder.has(Self.headerName) else { throw .noVault(folder: folder.path) }
    guard forgetKey() else { throw .failed(reason: "the kernel did not delete the vault's key") }
    try await alone { () throws(KeyringFailure) in
      try removeItems()
      try inFolder { folder throws(PrivateFilesError) in try folder.remove(Self.headerName) }
      // Those that another process has written meanwhile, with a key that it had before.
      try removeItems()
    }
  }

  private func removeItems() throws(KeyringFailure) {
    for (account, kind) in try itemNames() {
      try inFolder { folder throws(PrivateFilesError) in try folder.remove(kind.key(for: account)) }
    }
  }

  private func changePassphrase(file: String?, _ interaction: Interaction) async throws(KeyringFailure) {
    let old = try existingHeader()
    let key = try await opener.open(old, interaction).key
    let passphrase: Passphrase
    do { passphrase = try opener.passphrases.new(file: file, opener.entropy, interaction) } catch {
      // Not "locked": the vault is open, and the new passphrase is missing.
      throw .failed(reason: "the passphrase stays as it is: \(error.reason)")
    }
    var new = try opener.wrap(key, by: passphrase)
    if let seal = old.seal { new = new.sealed(key, as: seal.blob, by: seal.address) }
    try await replace(old, by: new)
    _ = opener.keep(key, openedBy: passphrase, of: new)
  }

  /// Replaces the header, in one write, unless another process was faster.
  func replace(_ old: VaultHeader, by new: VaultHeader) async throws(KeyringFailure) {
    try await alone { () throws(KeyringFailure) in
      guard try header() == old else {
        throw .failed(reason: "another process has changed the vault's header meanwhile")
      }
      // Before the change, so that the key stored for the old header no longer works once the new one is there.
      guard opener.cache.forget(old) else { throw .failed(reason: "the kernel did not delete the vault's key") }
      try write(new)
    }
  }

  func existingHeader() throws(KeyringFailure) -> VaultHeader {
    guard let header = try header() else { throw .noVault(folder: folder.path) }
    return header
  }
}
