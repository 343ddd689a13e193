package import AcctPorts
import PrivateFiles

extension VaultStore {
  /// The vault as a thing with a passphrase.
  package var vault: Vault {
    Vault(
      isThere: { () throws(KeyringFailure) in try self.header() != nil },
      unlock: { interaction throws(KeyringFailure) in
        try await self.unlock(interaction)
      },
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
