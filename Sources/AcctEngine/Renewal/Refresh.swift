package import AcctModel
package import AcctPorts

/// Renews accounts on request, one or all.
package struct Refresh: Sendable {
  private let world: World
  private let interaction: Interaction
  private let timeout: Int
  private let report: Waiting.Reporter

  package init(
    _ world: World,
    _ interaction: Interaction,
    timeout: Int,
    report: @escaping Waiting.Reporter = { _ in }
  ) {
    self.world = world
    self.interaction = interaction
    self.timeout = timeout
    self.report = report
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
  package func refresh(_ account: Account, force: Bool) async -> Result {
    let now = world.clock.now()
    guard account.tokenLifetime.canRenew else {
      let isWell = account.lastKnownState(at: now).state == .valid
      return isWell && !force ? .notDue : .cannotRenew
    }
    var wasDue = false
    let isDue = { (current: Account) in
      // Whoever has just renewed it for another process has done what was asked for.
      wasDue =
        force
        ? account.kind == .session
          || current.tokenLifetime.expiresAt == account.tokenLifetime.expiresAt
        : current.tokenLifetime.state(at: now) != .valid
      return wasDue
    }
    do throws(EngineError) {
      if account.kind == .session {
        let sessionRenewal = SessionRenewal(world, interaction, timeout: timeout, report: report)
        try await sessionRenewal.renew(account, ifDue: isDue) { current in
          force || current.tokenLifetime.state(at: now) != .valid
        }
      } else {
        try await Renewal(world, interaction, timeout: timeout, report: report).renew(
          account,
          ifDue: isDue
        )
      }
      return wasDue || force ? .renewed : .notDue
    } catch {
      return .failed(error)
    }
  }
}
