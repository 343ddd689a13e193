import AcctEngine
package import AcctModel

/// The words for a state, for people; JSON has the contract's names.
extension Account {
  /// The word for a state, which the time beside it must not contradict.
  ///
  /// - Parameters:
  ///   - state: The state, as it was found.
  ///   - now: The time that it was found at.
  /// - Returns: `due` for `expiring`, which may be long past and is renewed at its next use; `ending`
  ///   for a token that has time left, and whose certificate has none.
  package func word(for state: SessionState, at now: Timestamp) -> String {
    switch state {
    case .expiring: "due"
    case .expired where (shownExpiry?.seconds(since: now) ?? 0) > 0: "ending"
    case .reauthRequired: "sign in again"
    case .signedOut: "signed out"
    default: state.rawValue
    }
  }

  /// When its token expires, as seen from `now`, and what follows then; `nil` if that is not known.
  package func expiry(at now: Timestamp) -> String? {
    guard let time = shownExpiry else { return nil }
    let words = relative(time, to: now)
    // No server is known that could sign in to it.
    guard kind != .oauth || hasServer || canRenew else { return "\(words), then import again" }
    // One that renews itself and is past is due, which its state says.
    guard time > now else { return words }
    return words + (canRenew ? ", renews itself" : kind == .guest ? ", then a new session" : ", then sign in")
  }

  /// When its token expires; `nil` if there is no token, or the server rejects it already.
  package var shownExpiry: Timestamp? { recordedState.state == .valid ? tokenLifetime.expiresAt : nil }
}

extension SessionState {
  /// Green if all is well, yellow if acct or time may repair it, red if only the user can.
  package var style: TextStyle {
    switch self {
    case .valid: .good
    case .expiring, .locked, .unavailable: .warning
    case .expired, .reauthRequired, .signedOut: .bad
    }
  }
}
