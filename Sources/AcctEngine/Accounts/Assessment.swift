package import AcctModel
package import AcctPorts
import AcctProtocol

/// The state of an account, its reason if there is one, and the resulting action.
package struct Assessment: Equatable, Sendable {
  package var state: SessionState
  /// The reason; `nil` also where the keyring did not answer, which has a failure of its own.
  package var reason: String?
  /// The action for a command that needs the token.
  package var action: SessionAction

  /// `true` if only a person can change it, by a sign-in.
  package var needsPerson: Bool {
    switch state {
    case .expired, .reauthRequired, .signedOut: true
    case .valid, .expiring, .locked, .unavailable: false
    }
  }

  package init(_ state: SessionState, reason: String? = nil, _ action: SessionAction) {
    self.state = state
    self.reason = reason
    self.action = action
  }
}

/// The keyring's answer.
package enum Evidence: Equatable {
  /// It was not asked: the last known state applies.
  case none
  /// It did not answer.
  case failure(KeyringFailure)
  /// It holds no credential that could be used or renewed.
  case missing
  /// It holds everything that a request needs.
  case present
}

extension Account {
  /// Determines the state from the account's file and the keyring's answer.
  ///
  /// - Parameters:
  ///   - evidence: The keyring's answer.
  ///   - now: The time to decide for.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The state, its reason, and the resulting action.
  package func assess(_ evidence: Evidence, at now: Timestamp, leaving minimum: Int64? = nil) -> Assessment {
    let event: SessionEvent
    let reason: StateReason?
    if recordedState.state == .valid, evidence == .none || evidence == .present, let end = certificateEnd(at: now) {
      return end
    }
    switch evidence {
    case .none:
      // Without the keyring's answer, the server's last answer or the clock decides.
      guard recordedState.state == .valid else {
        return Assessment(recordedState.state, reason: recordedState.reason, .stop)
      }
      event = clockEvent(at: now, leaving: minimum)
      reason = clockReason(event, at: now)
    case .present:
      event = clockEvent(at: now, leaving: minimum)
      reason = clockReason(event, at: now)
    case .missing: (event, reason) = (.missing, .secretsMissing)
    case .failure(let cause): (event, reason) = (cause.event, nil)
    }
    let (state, action) = recordedState.state.after(event)
    if let refusal = recordedState.refusedRenewal, state == .valid || state == .expiring {
      return Assessment(state, reason: StateReason.renewalRefused(refusal).text, action)
    }
    // A recorded state keeps its recorded reason; any other state has its own.
    let isRecorded = state == recordedState.state && recordedState.reason != nil
    return Assessment(state, reason: isRecorded ? recordedState.reason : reason?.text, action)
  }

  /// The state of an existing token by the clock.
  ///
  /// The buffer leaves time for a renewal.
  private func clockEvent(at now: Timestamp, leaving minimum: Int64?) -> SessionEvent {
    switch tokenLifetime.state(at: now, leaving: minimum) {
    case .valid: .fresh
    case .expiring: .due
    default: kind == .guest ? .guestSpent : .spent
    }
  }

  /// The reason why acct does not use a token that its server would still accept; the time alone would contradict it.
  private func clockReason(_ event: SessionEvent, at now: Timestamp) -> StateReason? {
    guard event == .spent, let left = tokenLifetime.secondsLeft(at: now), left > 0 else { return nil }
    return .tooShort
  }

  /// The state as far as it is known without asking the keyring or a server.
  package func lastKnownState(at now: Timestamp) -> Assessment { told(.none, at: now) }

  /// The state that is shown to people and scripts.
  ///
  /// A command that needs a token requests a renewal all the same, which the server may grant by then; all that is
  /// known is that it rejected the last one, or that the session is past the end that its server gave it.
  func told(_ evidence: Evidence, at now: Timestamp) -> Assessment {
    let assessment = assess(evidence, at: now)
    guard assessment.state == .expiring, let left = tokenLifetime.secondsLeft(at: now), left <= 0 else {
      return assessment
    }
    let isRefused = recordedState.refusedRenewal != nil && recordedState.doubt == nil
    guard isRefused || sessionEndsAt.map({ $0 <= now }) ?? false else { return assessment }
    return Assessment(.expired, reason: assessment.reason, .stop)
  }
}

extension KeyringFailure {
  /// The event that it is for an account's state.
  fileprivate var event: SessionEvent { isLocked ? .keyringLocked : .keyringUnavailable }
}

extension Account {
  /// The account without the paths of its certificate's files, which are those of this machine.
  package var withoutFiles: Account {
    guard client.certificate?.files != nil else { return self }
    var account = self
    account.client.certificate?.files = nil
    return account
  }

  /// `true` if it names files or programs of one machine, which another must not read, run or name to other programs.
  package var namesFilesOrPrograms: Bool { client.hasInputs || client.certificate?.files != nil }

  /// The assessment of an account whose client's certificate has ended; `nil` where it has not.
  func certificateEnd(at now: Timestamp) -> Assessment? {
    guard let certificate = client.certificate, certificate.hasEnded(at: now) else { return nil }
    return Assessment(.reauthRequired, reason: StateReason.certificateEnded(certificate.endsAt).text, .stop)
  }

  /// A notice in the last days of its client's certificate.
  package func certificateWarning(at now: Timestamp) -> Notice? {
    guard let certificate = client.certificate, certificate.endsSoon(at: now), !certificate.hasEnded(at: now)
    else { return nil }
    return .certificateEnds(account: name, inSeconds: certificate.endsAt.seconds(since: now))
  }
}

extension Account {
  /// The reason why a command can't obtain a token, if the keyring itself did not fail.
  package func stateError(_ assessment: Assessment) -> EngineError {
    let reason = assessment.reason ?? ""
    if assessment.state == .expired, let refusal = RequestRefusal(lastRenewalOf: self) {
      return .signIn(.requestRefused(refusal))
    }
    if case .rejected(let rejection) = recordedState { return .signIn(.required(account: name, .rejected(rejection))) }
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

  /// Announces the end of a session that a renewal does not extend, or of a static token, which nothing extends.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - seconds: How long before the end.
  /// - Returns: The notice; `nil` before that.
  package func sessionWarning(at now: Timestamp, within seconds: Int64 = 3 * 86_400) -> Notice? {
    let end = kind == .static ? tokenLifetime.expiresAt : isEndFixed ? sessionEndsAt : nil
    guard let left = end?.seconds(since: now), (1...seconds).contains(left) else { return nil }
    if let replacement { return .tokenEnds(replacement, inSeconds: left) }
    return .sessionEnds(account: name, inSeconds: left)
  }

  /// The notices of what ends soon: its session or token, and its client's certificate.
  package func endWarnings(at now: Timestamp) -> [Notice] {
    [sessionWarning(at: now), certificateWarning(at: now)].compactMap(\.self)
  }

  /// Returns `true` if it is a guest of a backend.
  package func isGuest(of backend: Origin?) -> Bool { kind == .guest && service == backend }
}
