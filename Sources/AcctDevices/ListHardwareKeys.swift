import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import KeyDevices

/// Lists the devices of this machine, and the accounts whose keys they hold.
struct ListHardwareKeys: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  struct Report: Sendable {
    /// The TPM's address; ``tpm`` is its description of itself.
    var address: TPMAddress
    var tpm: Result<TPMDescription, HardwareKeyFailure>
    /// The accounts whose key is in a TPM; only the keyring knows in which.
    var tpmAccounts: [Account]
    var tokens: [Token]
  }

  struct Token: Sendable {
    var slot: PKCS11Slot
    var keys: [Key]
  }

  struct Key: Sendable {
    var uri: String
    var thumbprint: String
    /// The accounts whose tokens are bound to it.
    var accounts: [AccountName]
    /// `true` if the token reports that it was made elsewhere.
    var mayHaveCopies: Bool
  }

  /// Makes the report.
  ///
  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - uri: The tokens; those of every configured module if not given.
  /// - Returns: The devices and their keys.
  /// - Throws: ``EngineError`` if the accounts can't be read; a device that fails is part of the report.
  func report(tpm address: TPMAddress, tokens uri: PKCS11URI?) async throws(EngineError) -> Report {
    let accounts = try context.accountStore.listing().accounts
    let hardware = context.ownDevices.hardware
    let description: Result<TPMDescription, HardwareKeyFailure>
    do throws(HardwareKeyFailure) {
      description = .success(try await hardware.tpm.describe(address))
    } catch { description = .failure(error) }
    let tokens = await hardware.pkcs11.list(uri).map { slot in
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
    let kept = KeptKey(.pkcs11(key.uri), isMade: false)
    let stored = try? StoredHardwareKey(.pkcs11, kept.place, x: key.point.x, y: key.point.y)
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
