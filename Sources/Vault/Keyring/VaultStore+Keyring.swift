package import AcctCrypto
import AcctModel
package import AcctPorts
package import PrivateFiles

extension VaultStore {
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
