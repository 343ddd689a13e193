import Text

/// The last known state of the credentials, without asking keyring or server.
package indirect enum RecordedState: Equatable, Sendable {
  case signedIn
  /// Signed in, but the server rejected the last renewal for a cause that only the user can change. The reason is its
  /// code for the client, the scope or the resource, and its text. With a doubt, the cause is not known.
  case renewalRefused(reason: String, doubt: Doubt? = nil)
  /// A guest's token has expired, for this reason, and was discarded.
  case expired(reason: String)
  /// The server has ended the session, in these words; or only its renewals, and the token stays valid until it
  /// expires.
  case reauthRequired(reason: String, tokenStands: Bool = false)
  /// Signed in, and a server of the account has rejected its token once: that may be about one address alone.
  case doubted(Rejection)
  /// A server of the account has rejected its token, which can't be renewed.
  case rejected(Rejection)
  /// The secrets are gone, for this reason.
  case signedOut(reason: String)
}

/// A refusal of a renewal that may be the end of its session: it is, if the same one comes again later.
package struct Doubt: Equatable, Sendable {
  /// The HTTP status, and the code of the error if there is one: the words beside it may have the time in them.
  package let status: Int
  package let code: String?
  /// When it came first.
  package let time: Timestamp

  package init(status: Int, code: String?, at time: Timestamp) {
    self.status = status
    self.code = code
    self.time = time
  }

  /// Seconds after which the same refusal is an end: a server that is at fault for a moment is not asked twice in a row.
  private static let pause: Int64 = 60

  /// `true` if it repeats an earlier refusal, of a minute before or more.
  func repeats(_ earlier: Doubt) -> Bool {
    status == earlier.status && code == earlier.code && time.seconds(since: earlier.time) >= Self.pause
  }
}

/// A server's rejection of a token, by a 401.
package struct Rejection: Equatable, Sendable {
  package let origin: Origin
  /// The beginning of the path that was asked for; `nil` where it is not known, or says too much.
  package let path: String?
  package let time: Timestamp

  package init(by origin: Origin, path: String? = nil, at time: Timestamp) {
    self.origin = origin
    self.path = path.map(Self.shown)
    self.time = time
  }

  /// Seconds after which a second rejection of the token counts: what a program asks for within is one attempt.
  private static let pause: Int64 = 60

  /// `true` if it confirms an earlier rejection, of a minute before or more.
  func confirms(_ earlier: Rejection) -> Bool { time.seconds(since: earlier.time) >= Self.pause }

  /// The first words of a path, up to one that may be a secret or a person's: a long one, or of other characters.
  private static func shown(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    let plain = parts.prefix(3).prefix { part in
      part.utf8.count <= 16 && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
    }
    let whole = "/" + plain.joined(separator: "/")
    return plain.count == parts.count ? whole : "\(whole == "/" ? "" : whole)/…"
  }
}

extension RecordedState {
  /// The state before the keyring and the clock are consulted.
  package var state: SessionState {
    switch self {
    case .signedIn, .doubted, .renewalRefused: .valid
    case .expired: .expired
    case .reauthRequired, .rejected: .reauthRequired
    case .signedOut: .signedOut
    }
  }

  /// The stored reason.
  package var reason: String? {
    switch self {
    case .signedIn: nil
    case .doubted: "refusedOnce"
    case .rejected: "rejected"
    case .renewalRefused(let reason, _), .expired(let reason), .reauthRequired(let reason, _), .signedOut(let reason):
      reason
    }
  }

  /// The reason in an account's file: earlier versions take one of a signed-in account for that of a refused renewal.
  package var storedReason: String? { if case .doubted = self { nil } else { reason } }

  /// `true` if a new sign-in is needed and the earlier token may be used until it expires.
  package var tokenStands: Bool {
    if case .reauthRequired(_, let tokenStands) = self { tokenStands } else { false }
  }

  /// The rejection of its token, be it the only one or the last; `nil` without one.
  package var rejection: Rejection? {
    switch self {
    case .doubted(let rejection), .rejected(let rejection): rejection
    case .signedIn, .renewalRefused, .expired, .reauthRequired, .signedOut: nil
    }
  }

  /// The reason for which the server rejected the last renewal; `nil` if it did not, or if the session is over.
  package var refusedRenewal: String? {
    if case .renewalRefused(let reason, _) = self { reason } else { nil }
  }

  /// A refusal of the last renewal that may have been the session's end; `nil` without one.
  package var doubt: Doubt? { if case .renewalRefused(_, let doubt) = self { doubt } else { nil } }
}

extension Account {
  /// Applies an event from a server or the user, and stores what must be remembered of it.
  ///
  /// - Parameters:
  ///   - event: The event to apply.
  ///   - reason: The reason, if it ends something.
  ///   - now: When it happened.
  /// - Returns: The action that the caller has to take.
  @discardableResult
  package mutating func take(_ event: SessionEvent, reason: String = "", at now: Timestamp) -> SessionAction {
    let (_, action) = recordedState.state.after(event)
    switch action {
    case .keep:
      // A working token says nothing about a renewal.
      if event != .confirmed || recordedState.refusedRenewal == nil { recordedState = .signedIn }
      if event == .confirmed { validatedAt = now }
    case .record: recordedState = .reauthRequired(reason: reason, tokenStands: event == .otherUser)
    case .discard: recordedState = .expired(reason: reason)
    case .forget: recordedState = .signedOut(reason: reason)
    case .use, .renew, .useWhileUnpast, .stop: break
    }
    return action
  }

  /// Stores that the server has rejected a renewal, for this reason; the session continues.
  package mutating func noteRefusedRenewal(_ reason: String) {
    if recordedState.state == .valid { recordedState = .renewalRefused(reason: reason) }
  }

  /// Stores that the server has rejected a renewal for a cause that is not known.
  ///
  /// - Parameters:
  ///   - doubt: The refusal.
  ///   - reason: The server's words.
  /// - Returns: `true` if it is the end of the session: the server has said the same before. The caller records that.
  package mutating func noteRefusedRenewal(_ doubt: Doubt, _ reason: String) -> Bool {
    guard recordedState.state == .valid else { return recordedState.state == .reauthRequired }
    if let earlier = recordedState.doubt, earlier.status == doubt.status, earlier.code == doubt.code,
      earlier.time <= doubt.time
    {
      return doubt.repeats(earlier)
    }
    recordedState = .renewalRefused(reason: reason, doubt: doubt)
    return false
  }

  /// Stores that a server has rejected the token, which can't be renewed; only a request that succeeds with it, or a new
  /// sign-in, ends this.
  ///
  /// One 401 may be about an address that the token is not for. The second one counts, of a minute later or more, with no
  /// success between.
  ///
  /// - Parameters:
  ///   - rejection: The rejection.
  ///   - isConclusive: `true` where the server was asked for the token itself.
  package mutating func note(_ rejection: Rejection, isConclusive: Bool = false) {
    guard recordedState.state == .valid else { return }
    if case .doubted(let earlier) = recordedState {
      if isConclusive || rejection.confirms(earlier) { recordedState = .rejected(rejection) }
    } else {
      recordedState = isConclusive ? .rejected(rejection) : .doubted(rejection)
    }
  }

  /// Stores that a server accepts the token after all.
  package mutating func noteAcceptance() {
    if recordedState.rejection != nil { recordedState = .signedIn }
  }

  /// Stores that the server has granted a renewal.
  package mutating func noteRenewal() {
    if recordedState.refusedRenewal != nil { recordedState = .signedIn }
  }
}
