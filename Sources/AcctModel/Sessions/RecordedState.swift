/// The last known answer to whether the credentials still work, without asking keyring or server.
package enum RecordedState: Equatable, Sendable {
  case signedIn
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
    case .signedIn: .valid
    case .expired: .expired
    case .reauthRequired: .reauthRequired
    case .signedOut: .signedOut
    }
  }

  /// The stored reason.
  package var reason: String? {
    switch self {
    case .signedIn: nil
    case .expired(let reason), .reauthRequired(let reason, _), .signedOut(let reason): reason
    }
  }

  /// Whether a new sign-in is needed, and the token from before may be used to its end.
  package var tokenStands: Bool {
    if case .reauthRequired(_, let tokenStands) = self { tokenStands } else { false }
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
  package mutating func take(
    _ event: SessionEvent,
    reason: String = "",
    at now: Timestamp
  ) -> SessionAction {
    let (_, action) = recordedState.state.after(event)
    switch action {
    case .keep:
      recordedState = .signedIn
      if event == .confirmed { validatedAt = now }
    case .record:
      recordedState = .reauthRequired(reason: reason, tokenStands: event == .otherUser)
    case .discard: recordedState = .expired(reason: reason)
    case .forget: recordedState = .signedOut(reason: reason)
    case .use, .renew, .useWhileUnpast, .stop: break
    }
    return action
  }
}
