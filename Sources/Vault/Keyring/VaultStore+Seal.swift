import AcctModel
import Secrets
import AcctPorts

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
    let new = old.unsealed
    try await replace(old, by: new)
    _ = opener.keep(key, openedBy: passphrase, of: new)
    return true
  }
}
