/// The last known answer to whether the credentials still work, without asking keyring or server.
package enum RecordedState: Equatable, Sendable {
  case signedIn
  /// The same, and the server has refused the last renewal for what only the user can change, for this reason: its code
  /// for the client, the scope or the resource, and its words.
  case renewalRefused(reason: String)
  /// A guest's token has expired, for this reason, and was discarded.
  case expired(reason: String)
  /// The server has ended the session, in these words; or only its renewals, and the token is good to its end.
  case reauthRequired(reason: String, tokenStands: Bool = false)
  /// The secrets are gone, for this reason.
  case signedOut(reason: String)
}

extension RecordedState {
  /// The state before keyring and clock have been asked.
  package var state: SessionState {
    switch self {
    case .signedIn, .renewalRefused: .valid
    case .expired: .expired
    case .reauthRequired: .reauthRequired
    case .signedOut: .signedOut
    }
  }

  /// The stored reason.
  package var reason: String? {
    switch self {
    case .signedIn: nil
    case .renewalRefused(let reason), .expired(let reason), .reauthRequired(let reason, _), .signedOut(let reason):
      reason
    }
  }

  /// Whether a new sign-in is needed, and the token from before may be used to its end.
  package var tokenStands: Bool {
    if case .reauthRequired(_, let tokenStands) = self { tokenStands } else { false }
  }

  /// Why the server has refused the last renewal, if it has, and the session is not over.
  package var refusedRenewal: String? {
    if case .renewalRefused(let reason) = self { reason } else { nil }
  }
}

extension Account {
  /// Applies an event from a server or the user, and stores what must be remembered of it.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - reason: The reason, if it ends something.
  ///   - now: When it happened.
  /// - Returns: What to do about it.
  @discardableResult
  package mutating func take(_ event: SessionEvent, reason: String = "", at now: Timestamp) -> SessionAction {
    let (_, action) = recordedState.state.after(event)
    switch action {
    case .keep:
      // That the token works tells nothing of a renewal.
      if event != .confirmed || recordedState.refusedRenewal == nil { recordedState = .signedIn }
      if event == .confirmed { validatedAt = now }
    case .record: recordedState = .reauthRequired(reason: reason, tokenStands: event == .otherUser)
    case .discard: recordedState = .expired(reason: reason)
    case .forget: recordedState = .signedOut(reason: reason)
    case .use, .renew, .useWhileUnpast, .stop: break
    }
    return action
  }

  /// Stores that the server has refused a renewal, for this reason; the session goes on.
  package mutating func noteRefusedRenewal(_ reason: String) {
    if recordedState.state == .valid { recordedState = .renewalRefused(reason: reason) }
  }

  /// Stores that the server has granted a renewal.
  package mutating func noteRenewal() {
    if recordedState.refusedRenewal != nil { recordedState = .signedIn }
  }
}
