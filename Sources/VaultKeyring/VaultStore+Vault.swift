package import AcctPorts
import PrivateFiles
import VaultKey

extension VaultStore {
  /// The vault as a thing with a passphrase.
  package var vault: Vault {
    Vault(
      isThere: { () throws(KeyringFailure) in try self.header() != nil },
      unlock: { interaction throws(KeyringFailure) in
        try self.opener.open(self.existingHeader(), interaction).cachedFor
      },
      lock: { () throws(KeyringFailure) in
        guard self.forgetKey() else {
          throw .failed(reason: "the kernel did not delete the vault's key")
        }
      },
      changePassphrase: { file, interaction throws(KeyringFailure) in
        try await self.changePassphrase(file: file, interaction)
      }
    )
  }

  /// Deletes the stored key; returns whether it is stored nowhere any more.
  ///
  /// The header names it. If the header is missing or can't be read, the key may be stored all the
  /// same, and the keys of all of the user's vaults are deleted.
  private func forgetKey() -> Bool {
    guard let header = try? header() else { return opener.cache.forgetAll() }
    return opener.cache.forget(header)
  }

  private func changePassphrase(
    file: String?,
    _ interaction: Interaction
  ) async throws(KeyringFailure) {
    let old = try existingHeader()
    let key = try opener.open(old, interaction).key
    let passphrase: Passphrase
    do { passphrase = try opener.passphrases.new(file: file, interaction) } catch {
      // Not "locked": the vault is open, and the new passphrase is missing.
      throw .failed(reason: "the passphrase stays as it is: \(error.reason)")
    }
    let new = try opener.wrap(key, by: passphrase)
    try await alone { () throws(KeyringFailure) in
      guard try header() == old else {
        throw .failed(reason: "another process has changed the passphrase meanwhile")
      }
      // Before the change, so that the old passphrase cannot work once the new one does.
      guard opener.cache.forget(old) else {
        throw .failed(reason: "the kernel did not delete the vault's key")
      }
      try write(new)
    }
    _ = opener.keep(key, openedBy: passphrase, of: new)
  }

  private func existingHeader() throws(KeyringFailure) -> VaultHeader {
    guard let header = try header() else { throw .noVault(folder: folder.path) }
    return header
  }
}
