import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import PrivateFiles

extension VaultStore {
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
}
