package import AcctModel
import AcctPorts

/// Renews accounts on request, one or all.
package struct Refresh: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The result for an account.
  package enum Result: Sendable {
    case renewed([Notice])
    /// Enough time is left.
    case notDue
    /// There is no refresh token.
    case cannotRenew
    case failed(EngineError)
  }

  /// Renews `account` if it is due, or in any case if `force` is set.
  ///
  /// With `force`, what another machine has renewed before counts as known: the request was for one more renewal.
  package func refresh(_ account: Account, force: Bool) async -> Result {
    let now = context.world.clock.now()
    var account = account
    if force {
      do throws(EngineError) { account = try await context.latest(account) } catch { return .failed(error) }
    }
    guard account.tokenLifetime.canRenew else {
      let isWell = account.lastKnownState(at: now).state == .valid
      return isWell && !force ? .notDue : .cannotRenew
    }
    do throws(EngineError) {
      try account.requireNotEnded(at: now, insisting: force && account.kind == .oauth)
    } catch { return .failed(error) }
    // Only the account's file has the end of a session, so the keyring may stay locked.
    if account.kind == .session, !force, account.tokenLifetime.state(at: now) == .valid { return .notDue }
    do throws(EngineError) {
      let outcome = try await Renewal(context).renew(account, because: force ? .forced : .due(leaving: nil))
      return outcome.wasDue || force ? .renewed(outcome.credentials.notices) : .notDue
    } catch {
      return .failed(error)
    }
  }
}

extension Account {
  /// `true` if what a machine has had of it stays good after a renewal: a static token, or what the client proves itself
  /// with where its grant needs nothing else.
  package var outlivesRenewal: Bool { kind == .static || client.grant.renewsItself && !client.itemKinds.isEmpty }
}
