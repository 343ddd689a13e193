import AcctModel
import AcctPorts

extension SharedAccounts {
  /// Returns accounts that hold the secrets of stored items; a record has none.
  func noting(_ held: HeldSecrets) -> SharedAccounts {
    var accounts = self
    accounts.fetch = { account, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try fetch(account, interaction) }
    }
    accounts.fetchAll = { interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try fetchAll(interaction) }
    }
    accounts.holder = { name, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try holder(name, interaction) }
    }
    accounts.store = { account, interaction throws(SharedAccountFailure) in
      for item in account.items.written { held.hold(item.kind.secrets(in: item.secret)) }
      do throws(SharedAccountFailure) { try store(account, interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.remove = { account, event, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try remove(account, event, interaction) }
    }
    accounts.removals = { interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try removals(interaction) }
    }
    accounts.claim = { intent, interaction throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in
        try await claim(intent, interaction)
      }
    }
    return accounts
  }
}

extension SharedKeyring {
  /// The operations on the keyring as a whole, whose failures repeat no secret.
  func noting(_ held: HeldSecrets) -> SharedKeyring {
    SharedKeyring(
      keyring: { kind in keyring(kind).noting(held) },
      settings: { () throws(KeyringFailure) in
        try held.redacting { () throws(KeyringFailure) in try settings() }
      },
      create: { settings, interaction throws(KeyringFailure) in
        try held.redacting { () throws(KeyringFailure) in try create(settings, interaction) }
      },
      join: { settings, interaction throws(KeyringFailure) in
        try held.redacting { () throws(KeyringFailure) in try join(settings, interaction) }
      },
      leave: { () throws(KeyringFailure) in try held.redacting { () throws(KeyringFailure) in try leave() } },
      trust: { interaction throws(KeyringFailure) in
        try held.redacting { () throws(KeyringFailure) in try trust(interaction) }
      },
      report: { () throws(KeyringFailure) in try held.redacting { () throws(KeyringFailure) in try report() } },
      pending: pending,
      inspect: { interaction throws(KeyringFailure) in
        try held.redacting { () throws(KeyringFailure) in try inspect(interaction) }
      },
      membership: SharedMembership(
        means: { settings throws(SharedMembershipFailure) in
          do throws(SharedMembershipFailure) { return try membership.means(settings) } catch {
            throw error.redacted(by: held)
          }
        },
        request: { settings, tpm, interaction, announce throws(SharedMembershipFailure) in
          do throws(SharedMembershipFailure) {
            try await membership.request(settings, tpm, interaction, announce)
          } catch {
            throw error.redacted(by: held)
          }
        },
        approve: { code, interaction throws(SharedMembershipFailure) in
          do throws(SharedMembershipFailure) { return try membership.approve(code, interaction) } catch {
            throw error.redacted(by: held)
          }
        },
        members: { interaction throws(SharedMembershipFailure) in
          do throws(SharedMembershipFailure) { return try membership.members(interaction) } catch {
            throw error.redacted(by: held)
          }
        },
        rekey: { change, interaction throws(SharedMembershipFailure) in
          do throws(SharedMembershipFailure) { return try membership.rekey(change, interaction) } catch {
            throw error.redacted(by: held)
          }
        },
        ownItem: membership.ownItem
      )
    )
  }
}

extension HeldSecrets {
  /// Does something with a shared keyring, whose failure may repeat a secret.
  fileprivate func redacting<Value>(_ body: () throws(KeyringFailure) -> Value) throws(KeyringFailure) -> Value {
    do { return try body() } catch { throw error.redacted(by: self) }
  }
}

extension SharedMembershipFailure {
  fileprivate func redacted(by held: HeldSecrets) -> SharedMembershipFailure {
    guard case .keyring(let failure) = self else { return self }
    return .keyring(failure.redacted(by: held))
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
