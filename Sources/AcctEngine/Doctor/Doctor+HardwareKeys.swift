import AcctModel
import AcctPorts

extension Doctor {
  /// Whether the keys that are in devices can be used now; nothing where no account has one.
  func hardwareKeys(in keyring: Keyring) async -> [Finding] {
    let accounts = ((try? accountStore.listing().accounts) ?? []).filter { $0.keyStorage != .software }
    guard !accounts.isEmpty else { return [] }
    var findings: [Finding] = []
    var ready = 0
    for account in accounts {
      let store = CredentialStore(of: account, in: keyring, context)
      // A keyring that can't be read, and an item that is damaged or missing, are other findings.
      guard let stored = try? await store.storedHardwareKey() else { continue }
      guard let failure = await CheckHardwareKey(context).failure(of: stored, asksForPIN: false) else {
        ready += 1
        continue
      }
      findings.append(Finding(.hardwareKey(failure, account.keyStorage, of: account.name)))
    }
    guard findings.isEmpty, ready > 0 else { return findings }
    return [Finding(.hardwareKeysReady(count: ready))]
  }
}
