/// The lifetime of an access token, and whether it can be renewed without the user.
package struct TokenLifetime: Equatable, Sendable {
  /// When the token expires; `nil` where that is not known.
  package var expiresAt: Timestamp?
  /// The token's lifetime from its issue, in seconds: `expires_in` as the server gave it, or the time left until its
  /// `exp`.
  package var lifetime: Int64?
  /// `true` if the token can be renewed without a person: there is a refresh token, a session, or a grant that renews
  /// itself.
  package var canRenew: Bool

  package init(expiresAt: Timestamp?, lifetime: Int64? = nil, canRenew: Bool) {
    self.expiresAt = expiresAt
    self.lifetime = lifetime
    self.canRenew = canRenew
  }

  /// The buffer for clock skew and slow requests, in seconds.
  ///
  /// Five minutes; where a server that can renew hands out tokens of less than ten minutes, half
  /// of their life, since every one of them would otherwise be due at once.
  package var skewBuffer: Int64 {
    guard canRenew, let lifetime, lifetime < 600 else { return 300 }
    return max(lifetime / 2, 0)
  }

  /// Seconds left at `now`; negative when past, `nil` where the end is not known.
  package func secondsLeft(at now: Timestamp) -> Int64? { expiresAt?.seconds(since: now) }

  /// The state that the clock alone decides.
  ///
  /// - Parameters:
  ///   - now: The time to decide for.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: ``SessionState/valid``, ``SessionState/expiring`` or ``SessionState/expired``.
  package func state(at now: Timestamp, leaving minimum: Int64? = nil) -> SessionState {
    guard let left = secondsLeft(at: now), left <= minimum ?? skewBuffer else { return .valid }
    return canRenew ? .expiring : .expired
  }
}
