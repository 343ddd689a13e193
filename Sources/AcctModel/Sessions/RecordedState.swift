/// What is known without asking anyone of whether the credentials still work.
package enum RecordedState: Equatable, Sendable {
  case signedIn
  /// A guest's token has come to its end, in these words, and was discarded.
  case expired(reason: String)
  /// The server has ended the session, in these words.
  case reauthRequired(reason: String)
  /// The secrets are gone, for this reason.
  case signedOut(reason: String)
}

extension RecordedState {
  /// The state that it is, before keyring and clock have been heard.
  package var state: SessionState {
    switch self {
    case .signedIn: .valid
    case .expired: .expired
    case .reauthRequired: .reauthRequired
    case .signedOut: .signedOut
    }
  }

  /// The words that were kept with it.
  package var reason: String? {
    switch self {
    case .signedIn: nil
    case .expired(let reason), .reauthRequired(let reason), .signedOut(let reason): reason
    }
  }
}

extension Account {
  /// Takes what a server or the user said, and keeps what must be remembered of it.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - reason: The words for it, where it ends something.
  ///   - now: When it happened.
  /// - Returns: What is to be done about it.
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
    case .record: recordedState = .reauthRequired(reason: reason)
    case .discard: recordedState = .expired(reason: reason)
    case .forget: recordedState = .signedOut(reason: reason)
    case .use, .renew, .useWhileUnpast, .stop: break
    }
    return action
  }
}
