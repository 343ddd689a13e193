package import AcctModel
import AcctPorts
import AcctProtocol

extension Account {
  /// The reason why a command can't obtain a token, if the keyring itself did not fail.
  package func stateError(_ assessment: Assessment) -> EngineError {
    let reason = assessment.reason ?? ""
    if assessment.state == .expired, let refusal = RequestRefusal(lastRenewalOf: self) {
      return .signIn(.requestRefused(refusal))
    }
    if let rejection = recordedState.rejection { return .signIn(.required(account: name, .rejected(rejection))) }
    if let replacement {
      let end: StaticTokenEnd =
        switch assessment.state {
        case .expired where assessment.reason != nil: .ending(reason: reason)
        case .expired, .valid, .expiring: .expired
        case .signedOut, .reauthRequired, .locked, .unavailable: .missing(reason: reason)
        }
      return .signIn(.required(account: name, .tokenOver(end, replacement)))
    }
    let why: SignInReason =
      switch assessment.state {
      case .reauthRequired where recordedState.state == .valid: .certificateEnded(reason: reason)
      case .reauthRequired: .ended(reason: reason)
      case .signedOut: .signedOut(reason: reason)
      case .expired where kind == .guest:
        .guestOver(reason: assessment.reason ?? StateReason.lifetimeEnded.text, service)
      case .expired where assessment.reason != nil: .ending(reason: reason)
      case .valid, .expiring, .expired, .locked, .unavailable:
        keptIn == Keyring.Kind.memory.rawValue ? .documentEnded : .expired
      }
    return .signIn(.required(account: name, why))
  }

  /// The error for an account that can't be renewed.
  package var notRenewable: EngineError {
    if let replacement { return .signIn(.tokenFixed(replacement)) }
    return .signIn(.notRenewable(account: name))
  }

  /// A notice in the last two days of a session that a renewal does not extend: sign in again, and by when.
  ///
  /// A static token, which nothing extends, has the notice before its own end.
  package func sessionWarning(at now: Timestamp) -> Notice? {
    let end = kind == .static ? tokenLifetime.expiresAt : sessionEndsAt
    guard let left = end?.seconds(since: now), (1...2 * 86_400).contains(left) else { return nil }
    if let replacement { return .tokenEnds(replacement, inSeconds: left) }
    return .sessionEnds(account: name, inSeconds: left)
  }

  /// Returns `true` if it is the guest of a backend; each backend has at most one.
  func isGuest(of backend: Origin?) -> Bool { kind == .guest && service == backend }
}
