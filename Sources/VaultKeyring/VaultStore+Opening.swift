import AcctPorts
import VaultKey

extension VaultStore {
  /// Opens the vault if there is one, and else makes it, under a new passphrase.
  ///
  /// - Throws: ``KeyringFailure``.
  func openOrMake(_ interaction: Interaction) async throws(KeyringFailure) -> OpenVaultKey {
    if let header = try header() { return try await opener.open(header, interaction) }
    // All that takes time, a person's or scrypt's, is done before the lock is taken.
    let new = try opener.make(interaction)
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
