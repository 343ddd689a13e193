package import AcctModel
package import AcctPorts
import AcctProtocol

/// The devices of this machine, and whose keys they have.
package struct ListHardwareKeys: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  package struct Report: Sendable {
    /// Where the TPM is, and what it says of itself.
    package var address: TPMAddress
    package var tpm: Result<TPMDescription, HardwareKeyFailure>
    /// The accounts whose key is in a TPM: which one, only the keyring knows.
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
    /// Whose tokens are bound to it.
    package var accounts: [AccountName]
    /// Whether the token says that it was made elsewhere.
    package var mayHaveCopies: Bool
  }

  /// Looks.
  ///
  /// - Parameters:
  ///   - address: Where the TPM is.
  ///   - uri: The tokens; those of every configured module if not given.
  /// - Returns: What is there.
  /// - Throws: ``EngineError`` where the accounts can't be read; a device that fails is part of the report.
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
    // What is no point of the curve is no key for ES256.
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
