import Secrets
package import AcctPorts
package import Vault

/// Opens the key of a shared keyring, by passphrase or by key file, as its header says.
package struct SharedKeyOpener: Sendable {
  let opener: VaultKeyOpener
  let keyFile: KeyFile?
  let entropy: Entropy

  /// Names the means that open a shared keyring; nothing is read or asked for yet.
  ///
  /// - Parameters:
  ///   - opener: For keyrings that a passphrase opens.
  ///   - keyFile: For those that a key file opens; a new keyring is made with it, if there is one.
  ///   - entropy: For the salt of a header.
  package init(_ opener: VaultKeyOpener, keyFile: KeyFile?, entropy: Entropy) {
    self.opener = opener
    self.keyFile = keyFile
    self.entropy = entropy
  }

  /// Opens the key of the keyring with this header.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` without the means that it takes.
  func open(
    _ header: AnyVaultHeader,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> Secret {
    switch header {
    case .passphrase(let header):
      do { return try opener.openByPassphrase(header, interaction, keeping: keeping).key } catch {
        guard let keyFile, case .locked(let reason) = error else { throw error }
        throw .locked(
          reason: "a passphrase opens this keyring, not the key in \(keyFile.path)" + (reason.map { " (\($0))" } ?? "")
        )
      }
    case .keyFile(let header):
      guard let keyFile else {
        throw .locked(reason: "a key file opens this keyring, and ACCT_VAULT_KEY_FILE names none")
      }
      let key = try keyFile.key()
      guard header.isOf(key) else { throw .locked(reason: "the key in \(keyFile.path) is not the keyring's") }
      return key
    }
  }

  /// Makes the key of a new keyring: the key file's, else one that a passphrase wraps.
  func make(_ interaction: Interaction) throws(KeyringFailure) -> AnyVaultHeader {
    guard let keyFile else {
      return .passphrase(try opener.make(for: "the keyring that the machines share", interaction).header)
    }
    return .keyFile(KeyFileHeader(of: try keyFile.key(), entropy: entropy))
  }

  /// Deletes the key of the keyring with this header, in the kernel as well.
  ///
  /// - Returns: `true` if it is stored nowhere any more; a key file stays the user's.
  func forget(_ header: AnyVaultHeader) -> Bool {
    switch header {
    case .passphrase(let header): opener.cache.forget(header)
    case .keyFile: true
    }
  }

  /// Wipes the key in this process.
  func end() { opener.cache.end() }
}
