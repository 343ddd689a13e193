/// The lifetime of an access token, and whether it can be renewed without the user.
package struct TokenLifetime: Equatable, Sendable {
  /// When the token expires; `nil` where that is not known.
  package var expiresAt: Timestamp?
  /// The token's lifetime from its issue, in seconds.
  package var lifetime: Int64?
  /// `true` if the token can be renewed without a person: there is a refresh token, a session, or a grant that renews
  /// itself.
  package var canRenew: Bool

  package init(expiresAt: Timestamp?, lifetime: Int64? = nil, canRenew: Bool) {
    self.expiresAt = expiresAt
    self.lifetime = lifetime
    self.canRenew = canRenew
  }

  /// The lifetime of a token that a server has just granted.
  ///
  /// It ends at the earlier of its own end and the end of the lifetime that the server told. A clock that is off by
  /// more than the buffer does not decide: the server's does, where it has told its time.
  ///
  /// - Parameters:
  ///   - seconds: What the server told, in seconds; `nil` if it told nothing.
  ///   - end: The token's own end, by the server's clock. One that has passed at its issue says nothing.
  ///   - serverTime: The server's time at its answer, if it told that.
  ///   - now: When the answer came.
  ///   - canRenew: `true` if the token can be renewed without a person.
  package init(
    granted seconds: Int64?,
    until end: Timestamp?,
    by serverTime: Timestamp?,
    at now: Timestamp,
    canRenew: Bool
  ) {
    let offset = serverTime?.seconds(since: now) ?? 0
    let isClockOff = abs(offset) > Self.buffer(of: seconds)
    var own = end?.seconds(since: isClockOff ? now.adding(seconds: offset) : now)
    if seconds != nil, let left = own, left <= 0 { own = nil }
    let lifetime = [seconds, own].compactMap(\.self).min()
    self.init(expiresAt: lifetime.map(now.adding), lifetime: lifetime, canRenew: canRenew)
  }

  /// The buffer for clock skew and slow requests, in seconds: 5 minutes, or a third of a known lifetime if that is
  /// shorter, since each token of a short one would otherwise be due at once.
  ///
  /// A token that can't be renewed has none: it is used until it expires.
  package var skewBuffer: Int64 { canRenew ? Self.buffer(of: lifetime) : 0 }

  private static let buffer: Int64 = 300

  private static func buffer(of lifetime: Int64?) -> Int64 { min(buffer, max(lifetime ?? .max, 0) / 3) }

  /// Seconds left at `now`; negative when past, `nil` where the end is not known.
  package func secondsLeft(at now: Timestamp) -> Int64? { expiresAt?.seconds(since: now) }

  /// The same where the end can be relied on: `nil` where the clock was ahead when the token was stored, too.
  package func certainSecondsLeft(at now: Timestamp) -> Int64? {
    secondsLeft(at: now).flatMap { exceedsLifetime($0) ? nil : $0 }
  }

  /// The state that the clock alone decides.
  ///
  /// - Parameters:
  ///   - now: The time to decide for.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: ``SessionState/valid``, ``SessionState/expiring`` or ``SessionState/expired``.
  package func state(at now: Timestamp, leaving minimum: Int64? = nil) -> SessionState {
    guard let left = secondsLeft(at: now), left <= minimum ?? skewBuffer || exceedsLifetime(left) else { return .valid }
    return canRenew ? .expiring : .expired
  }

  /// `true` if more is left than there ever was.
  ///
  /// The clock was ahead when the token was stored, so its end is not known. What can't be renewed is used all the same.
  private func exceedsLifetime(_ left: Int64) -> Bool {
    guard canRenew, let lifetime else { return false }
    return left - Self.buffer > lifetime
  }
}
