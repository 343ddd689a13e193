import AcctModel
import AcctPorts

extension Doctor {
  /// Whether every item of every account can be read, and is what acct writes there.
  ///
  /// A keyring that is locked or becomes unavailable is left to another check.
  func contents(of keyring: Keyring) async -> [Finding] {
    // The checks of accounts and items report a failure to list those.
    guard let accounts = try? accountStore.listing().accounts, let listed = try? await keyring.list() else { return [] }
    var findings: [Finding] = []
    for account in accounts {
      let kinds = ItemKind.allCases.filter { listed[account.id]?.contains($0) ?? false }
      for kind in kinds {
        do throws(EngineError) {
          try await CredentialStore(of: account, in: keyring, context).check(kind)
        } catch .keyring(.damagedItem) {
          findings.append(Finding(.damagedItem(kind, of: account.name, reason: nil)))
        } catch .keyring(.failed(.failed(let reason), _)) {
          findings.append(Finding(.damagedItem(kind, of: account.name, reason: reason)))
        } catch {
          return findings
        }
      }
    }
    return findings
  }
}

extension Finding {
  /// Whether the finding says that the keyring can be read.
  var isReadyKeyring: Bool { if case .keyringReady = subject { true } else { false } }
}
