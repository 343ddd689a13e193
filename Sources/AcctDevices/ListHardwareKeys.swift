package import AcctModel
package import AcctPorts
import AcctProtocol
import Release

/// Lists the devices of this machine, and the accounts whose keys they hold.
package struct ListHardwareKeys: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  package struct Report: Sendable {
    /// The TPM's address; ``tpm`` is its description of itself.
    package var address: TPMAddress
    package var tpm: Result<TPMDescription, HardwareKeyFailure>
    /// The accounts whose key is in a TPM; only the keyring knows in which.
    package var tpmAccounts: [Account]
    package var tokens: [Token]
  }

  package struct Token: Sendable {
    package var slot: PKCS11Slot
    package var keys: [Key]
  }

  package struct Key: Sendable {
    package var uri: String
    package var thumbprint: String
    /// The accounts whose tokens are bound to it.
    package var accounts: [AccountName]
    /// `true` if the token reports that it was made elsewhere.
    package var mayHaveCopies: Bool
  }

  /// Makes the report.
  ///
  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - uri: The tokens; those of every configured module if not given.
  /// - Returns: The devices and their keys.
  /// - Throws: ``EngineError`` if the accounts can't be read; a device that fails is part of the report.
  package func report(tpm address: TPMAddress, tokens uri: PKCS11URI?) async throws(EngineError) -> Report {
    let accounts = try context.accountStore.listing().accounts
    let hardwareKeys = context.world.hardwareKeys
    let description: Result<TPMDescription, HardwareKeyFailure>
    do throws(HardwareKeyFailure) {
      description = .success(try await hardwareKeys.tpm.describe(address))
    } catch { description = .failure(error) }
    let tokens = await hardwareKeys.pkcs11.list(uri).map { slot in
      Token(slot: slot, keys: slot.keys.compactMap { key($0, of: accounts) })
    }
    return Report(
      address: address,
      tpm: description,
      tpmAccounts: accounts.filter { $0.keyStorage == .tpm2 },
      tokens: tokens
    )
  }

  private func key(_ key: PKCS11Key, of accounts: [Account]) -> Key? {
    // Without a point of the curve there is no key for ES256.
    let stored = try? StoredHardwareKey(.pkcs11(key.uri), x: key.point.x, y: key.point.y, isMade: false)
    guard let thumbprint = stored?.thumbprint else { return nil }
    let owners = accounts.filter { $0.keyStorage == .pkcs11 && $0.thumbprint == thumbprint }
    return Key(
      uri: key.uri.description,
      thumbprint: thumbprint,
      accounts: owners.map(\.name),
      mayHaveCopies: key.mayHaveCopies
    )
  }
}
