import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

extension Doctor {
  /// Checks that the TPM of a sealed vault still opens it; no other check asks it.
  func seal(of keyring: Keyring) async -> [Finding] {
    // The keyring's check reports a vault that can't be read.
    guard keyring.kind == .vault, let check = try? await context.world.vault.checkSeal() else { return [] }
    let tpm = "the TPM at \(check.address.description)"
    guard let failure = check.failure else { return [Finding(.ok, "vaultSeal", "\(tpm) opens the vault")] }
    return [
      Finding(
        .warning,
        "vaultSeal",
        "\(tpm) does not open the vault: \(words(forSeal: failure))",
        fix: failure == .owned
          ? storageKeyLine : "`acct vault seal` seals it again, with the passphrase; `acct vault unseal` ends it"
      )
    ]
  }
}
