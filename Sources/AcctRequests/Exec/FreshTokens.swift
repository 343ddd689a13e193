import AcctModel
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// An account's tokens, each replaced while at least ten minutes of it, or the half of a shorter life, are left.
struct FreshTokens: Sendable {
  private let context: EngineContext
  private let network: TokenProvider.Network
  private let id: AccountID
  private let url: HTTPURL?

  init(_ context: EngineContext, _ network: TokenProvider.Network, _ id: AccountID, for url: HTTPURL?) {
    self.context = context
    self.network = network
    self.id = id
    self.url = url
  }

  /// A token, and when it is replaced.
  struct Kept: Sendable {
    let isIDToken: Bool
    @Boxed var grant: AccessGrant
    /// The token, for the file.
    let released: Released
    /// `nil` for a token without a known end.
    var nextAt: Timestamp?
    /// `true` if it could not be replaced when that was due.
    var hasFailed = false

    func isDue(at now: Timestamp) -> Bool { nextAt.map { $0.seconds(since: now) <= 0 } ?? false }
  }

  /// Seconds until the next attempt after one that brought no token that lives longer.
  static let pause: Int64 = 30

  /// Seconds that a token has left when it is replaced: ten minutes, and one for the renewal.
  private static let margin: Int64 = 660

  /// The token as it is, or a new one if it is due.
  func first(isIDToken: Bool) async throws(EngineError) -> Kept {
    let kept = try await obtained(isIDToken, leaving: nil)
    guard network == .allowed, kept.isDue(at: context.world.clock.now()) else { return kept }
    return try await next(after: kept)
  }

  /// The token after one that is due; the same one, with its notices, if there is no other.
  func next(after kept: Kept) async throws(EngineError) -> Kept {
    let left = kept.nextAt.flatMap { next in kept.grant.expiresAt?.seconds(since: next) }
    var next = try await obtained(kept.isIDToken, leaving: left)
    if next.isDue(at: context.world.clock.now()) {
      next.hasFailed = true
      next.nextAt = context.world.clock.now().adding(seconds: Self.pause)
    }
    return next
  }

  private func obtained(_ isIDToken: Bool, leaving left: Int64?) async throws(EngineError) -> Kept {
    guard let account = try context.accountStore.account(id) else { throw .selection(.noAccounts) }
    let permit: Permit
    do { permit = try account.permit(handingOverFor: url, idToken: isIDToken) } catch { throw .authorization(error) }
    let grant = try await TokenProvider(context, network).grant(to: account, under: permit, leaving: left)
    // Seconds; that of a second token is not known.
    var life: Int64?
    if permit.isForIDToken {
      life = (try? IDToken(grant.token))?.lifetime.lifetime
    } else if permit.purpose == nil {
      life = try context.accountStore.account(id)?.tokenLifetime.lifetime
    }
    var margin = Self.margin
    // The half is what the reader may count on, and a tenth of it is for the renewal.
    if let life, life < 2 * margin { margin = life / 2 + life / 20 }
    return Kept(
      isIDToken: isIDToken,
      grant: grant,
      released: try permit.release(grant),
      nextAt: grant.expiresAt?.adding(seconds: -margin)
    )
  }
}
