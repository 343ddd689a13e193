import AcctModel
import AcctPorts

extension SharedAccounts {
  /// Returns accounts that hold the secrets of stored items; a record has none.
  func noting(_ held: HeldSecrets) -> SharedAccounts {
    var accounts = self
    accounts.fetch = { account, interaction throws(KeyringFailure) in
      do throws(KeyringFailure) { return try fetch(account, interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.fetchAll = { interaction throws(KeyringFailure) in
      do throws(KeyringFailure) { return try fetchAll(interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.store = { account, interaction throws(SharedAccountFailure) in
      for item in account.items.written { held.hold(item.kind.secrets(in: item.secret)) }
      do throws(SharedAccountFailure) { try store(account, interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.remove = { account, interaction throws(KeyringFailure) in
      do throws(KeyringFailure) { try remove(account, interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.claim = { intent, interaction throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in
        try await claim(intent, interaction)
      }
    }
    return accounts
  }
}

extension SharedAccountFailure {
  fileprivate func redacted(by held: HeldSecrets) -> SharedAccountFailure {
    switch self {
    case .keyring(let failure): .keyring(failure.redacted(by: held))
    case .nameTaken, .removed, .superseded: self
    }
  }
}
