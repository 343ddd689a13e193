import AcctModel
import AcctPorts
import AcctProtocol

/// An account's tokens, each replaced while at least ten minutes of it, or the half of a shorter life, are left.
struct FreshTokens: Sendable {
  private let context: EngineContext
  private let network: TokenProvider.Network
  private let id: AccountID
  private let purpose: TokenPurpose?

  init(_ context: EngineContext, _ network: TokenProvider.Network, _ id: AccountID, _ purpose: TokenPurpose?) {
    self.context = context
    self.network = network
    self.id = id
    self.purpose = purpose
  }

  /// A token, and when it is replaced.
  struct Kept: Sendable {
    let isIDToken: Bool
    var grant: AccessGrant
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
    let (grant, life) = try await obtained(isIDToken, leaving: nil)
    let kept = kept(grant, isIDToken, life)
    guard network == .allowed, kept.isDue(at: context.world.clock.now()) else { return kept }
    return try await next(after: kept)
  }

  /// The token after one that is due; the same one, with its notices, if there is no other.
  func next(after kept: Kept) async throws(EngineError) -> Kept {
    let left = kept.nextAt.flatMap { next in kept.grant.expiresAt?.seconds(since: next) }
    let (grant, life) = try await obtained(kept.isIDToken, leaving: left)
    var next = self.kept(grant, kept.isIDToken, life)
    if next.isDue(at: context.world.clock.now()) {
      next.hasFailed = true
      next.nextAt = context.world.clock.now().adding(seconds: Self.pause)
    }
    return next
  }

  private func kept(_ grant: AccessGrant, _ isIDToken: Bool, _ life: Int64?) -> Kept {
    var margin = Self.margin
    // The half is what the reader may count on, and a tenth of it is for the renewal.
    if let life, life < 2 * margin { margin = life / 2 + life / 20 }
    return Kept(isIDToken: isIDToken, grant: grant, nextAt: grant.expiresAt?.adding(seconds: -margin))
  }

  /// Returns the token with its life in seconds.
  private func obtained(_ isIDToken: Bool, leaving left: Int64?) async throws(EngineError) -> (AccessGrant, Int64?) {
    guard let account = try context.accountStore.account(id) else { throw .selection(.noAccounts) }
    let provider = TokenProvider(context, network)
    if isIDToken {
      let grant = try await provider.idToken(of: account, leaving: left)
      return (grant, (try? IDToken(grant.token.secret))?.lifetime.lifetime)
    }
    if let purpose { return (try await provider.grant(to: account, for: purpose, leaving: left), nil) }
    let grant = try await provider.grant(to: account, leaving: left)
    return (grant, try context.accountStore.account(id)?.tokenLifetime.lifetime)
  }
}
