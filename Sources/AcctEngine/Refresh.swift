package import AcctModel
package import AcctPorts

/// Renews accounts on request, one or all.
package struct Refresh: Sendable {
  private let world: World
  private let interaction: Interaction
  private let timeout: Int

  package init(_ world: World, _ interaction: Interaction, timeout: Int) {
    self.world = world
    self.interaction = interaction
    self.timeout = timeout
  }

  /// What became of an account.
  package enum Result: Sendable {
    case renewed
    /// Enough time is left.
    case notDue
    /// There is no refresh token.
    case cannotRenew
    case failed(EngineError)
  }

  /// Renews `account` if it is due, or whatever is there if `force` is set.
  package func callAsFunction(_ account: Account, force: Bool) async -> Result {
    guard account.lease.canRenew else { return .cannotRenew }
    let now = world.clock.now()
    let started = account.lease.expiresAt
    do throws(EngineError) {
      var wasDue = false
      try await Renewal(world, interaction, timeout: timeout)(account) { current in
        // Whoever has just renewed it for another process has done what was asked for.
        wasDue = force ? current.lease.expiresAt == started : current.lease.state(at: now) != .valid
        return wasDue
      }
      return wasDue || force ? .renewed : .notDue
    } catch {
      return .failed(error)
    }
  }
}
