/// An event that the state of an account depends on.
package enum SessionEvent: String, Sendable, CaseIterable {
  // The keyring holds everything that a request needs, and the clock says:
  /// More than the skew buffer is left.
  case fresh
  /// The buffer or less is left, or it is past, and the server can be asked for another.
  case due
  /// It is past, or less is left than was asked for, and no other token can be requested.
  case spent
  /// A guest's token has expired, or its server rejected it: it has no further use.
  case guestSpent

  // The keyring says:
  /// A credential that a request needs is missing.
  case missing
  case keyringLocked
  /// It doesn't run, doesn't answer in time, or fails.
  case keyringUnavailable

  // A server says:
  /// The session is valid: it granted tokens, or accepts the present ones.
  case confirmed
  /// Its answer to the stored credential replaced it by another one, so the session is valid.
  case replaced
  /// The session is over: `invalid_grant`, or a backend's 401 with a reason.
  case ended
  /// It names another user than the one who signed in; the token from before is not affected.
  case otherUser
  /// The server says nothing about the session: no connection, no answer in time, 429, 5xx, or a malformed answer.
  case noAnswer

  // The user:
  /// Has signed in as this identity.
  case signedIn
  /// Removes the account.
  case removed
}

/// The action that an event requires.
package enum SessionAction: String, Sendable, CaseIterable {
  /// Use the token.
  case use
  /// Ask the server for another, or whether this one still holds, before using it.
  case renew
  /// Use the token until it expires, with a notice; after that, report an error.
  case useWhileUnpast
  /// Tell the user why nothing can be used. Everything is kept.
  case stop
  /// Store the server's answer, and that it confirmed the session.
  case keep
  /// Store that the server has ended the session, and its reason. The credentials stay.
  case record
  /// Delete a guest's token.
  case discard
  /// Delete every local trace.
  case forget
}

extension SessionState {
  /// Decides the next state of an account after an event.
  ///
  /// It keeps two promises: only the user's own command, or a guest token's end, deletes a
  /// credential; and only a server's answer leads to ``reauthRequired``, which only a new sign-in
  /// leaves again, or a newer credential of the same server. A keyring that is locked or does not
  /// answer makes the state unknown, and the next answer decides anew.
  ///
  /// - Parameter event: The event.
  /// - Returns: The state after it, and the required action.
  package func after(_ event: SessionEvent) -> (state: SessionState, action: SessionAction) {
    switch (self, event) {
    case (_, .removed): (.signedOut, .forget)
    case (_, .signedIn): (.valid, .keep)
    // An answer about the previous credential does not apply to this one.
    case (_, .replaced): (.valid, .keep)

    // The server's answer is final, whatever else happens.
    case (.reauthRequired, _): (.reauthRequired, .stop)
    case (_, .ended), (_, .otherUser): (.reauthRequired, .record)

    case (_, .fresh): (.valid, .use)
    case (_, .due): (.expiring, .renew)
    case (_, .spent): (.expired, .stop)
    case (_, .guestSpent): (.expired, .discard)

    // A token that has expired for good is known as such, with or without the keyring.
    case (.expired, .missing), (.expired, .keyringLocked), (.expired, .keyringUnavailable): (.expired, .stop)
    case (_, .missing): (.signedOut, .stop)
    case (_, .keyringLocked): (.locked, .stop)
    case (_, .keyringUnavailable): (.unavailable, .stop)

    case (_, .confirmed): (.valid, .keep)
    case (.valid, .noAnswer): (.valid, .use)
    case (.expiring, .noAnswer): (.expiring, .useWhileUnpast)
    case (_, .noAnswer): (self, .stop)
    }
  }
}

/// The state of an account, as scripts read it.
package enum SessionState: String, Sendable, CaseIterable {
  /// More than the skew buffer is left.
  case valid
  /// The buffer or less is left, or it is past, and it can be renewed.
  case expiring
  /// It is past, and it cannot be renewed.
  case expired
  /// The keyring holds it and is locked.
  case locked
  /// The keyring does not answer.
  case unavailable
  /// The server has ended the session.
  case reauthRequired
  /// The account is known, and its secrets are missing.
  case signedOut
}

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
