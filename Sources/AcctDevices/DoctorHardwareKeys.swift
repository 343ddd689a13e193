import AcctEngine
import AcctModel
import AcctPorts
import AcctConsole

extension Doctor {
  /// Checks that the keys in devices can be used now; no finding if no account has one.
  func hardwareKeys(in keyring: Keyring) async -> [Finding] {
    let accounts = ((try? accountStore.listing().accounts) ?? []).filter { $0.keyStorage != .software }
    guard !accounts.isEmpty else { return [] }
    var findings: [Finding] = []
    var ready = 0
    for account in accounts {
      let store = CredentialStore(of: account, in: keyring, context)
      // Other findings report a keyring that can't be read, and an item that is damaged or missing.
      guard let stored = try? await store.storedHardwareKey() else { continue }
      if let failure = await CheckHardwareKey(context).failure(of: stored, asksForPIN: false) {
        findings.append(finding(failure, account))
      } else {
        ready += 1
      }
    }
    guard findings.isEmpty, ready > 0 else { return findings }
    return [Finding(.ok, "hardwareKeys", "the keys in devices can be used (\(ready))")]
  }

  /// An account's key can't be used now.
  private func finding(_ failure: HardwareKeyFailure, _ account: Account) -> Finding {
    var message = ErrorMessage(failure, account.keyStorage).naming(account.name)
    message.text = "\(account.name): \(message.text)"
    return switch failure {
    case .absent, .busy: Finding(message, .warning)
    case .forbidden, .lockedOut, .wrongPIN, .noPIN, .cancelled, .notTouched, .foreign, .owned, .gone, .unsuitable,
      .malformedReply, .failed:
      Finding(message)
    }
  }

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
