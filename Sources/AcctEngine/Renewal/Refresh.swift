package import AcctModel
import AcctPorts

/// Renews accounts on request, one or all.
package struct Refresh: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) {
    self.context = context
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
    let now = context.world.clock.now()
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
        let sessionRenewal = SessionRenewal(context)
        try await sessionRenewal.renew(account, ifDue: isDue) { current in
          force || current.tokenLifetime.state(at: now) != .valid
        }
      } else {
        try await Renewal(context).renew(
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
