package import AcctEngine
package import AcctModel
package import AcctPorts
package import ArgumentParser
package import FleetPorts

/// The keyring that this machine shares with others, and the machines that have it.
package final class Fleet: Sendable {
  fileprivate let keyring: SharedKeyring

  package init(_ keyring: SharedKeyring) { self.keyring = keyring }
}

extension Fleet {
  /// The commands of `acct keyring` that make a shared keyring, change it, or move accounts to it and from it.
  package static let commands: [any ParsableCommand.Type] = [
    CreateCommand.self, JoinCommand.self, ApproveCommand.self, MachinesCommand.self, RemoveMachineCommand.self,
    RekeyCommand.self, MoveCommand.self, LeaveCommand.self, TrustCommand.self,
  ]
}

extension EngineContext {
  /// The shared keyring as a whole, whose failures repeat no secret; none for a context that was made without.
  var sharedKeyring: SharedKeyring { (fleet as? Fleet)?.keyring.noting(world.held) ?? .none }
}

/// The answers to the core, which knows no other machine.
extension Fleet: AccountsInFleet {
  package func place(in keyring: Keyring, _ context: EngineContext) -> (any AccountPlace)? {
    SharedRecords(in: keyring, context)
  }

  package func ownItem() -> AccountID? { keyring.membership.ownItem() }

  package func waitingAnswers() -> Int { (try? keyring.pending().count) ?? 0 }

  package func complete(_ standing: inout KeyringStanding, _ context: EngineContext) throws(EngineError) {
    _ = try SharedReport(completing: &standing, context)
  }
}

extension SharedKeyring {
  /// The operations on the keyring as a whole, whose failures repeat no secret.
  fileprivate func noting(_ held: HeldSecrets) -> SharedKeyring {
    SharedKeyring(
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

extension SharedMembershipFailure {
  fileprivate func redacted(by held: HeldSecrets) -> SharedMembershipFailure {
    guard case .keyring(let failure) = self else { return self }
    return .keyring(failure.redacted(by: held))
  }
}
