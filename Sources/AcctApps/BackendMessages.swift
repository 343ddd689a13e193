import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension EngineError {
  /// The failure, if a backend did not sign the user in.
  var backend: BackendError? { if case .told(let told) = self { told.failure as? BackendError } else { nil } }

  /// The failure, if it is one of a sealed session.
  var session: SessionError? { if case .told(let told) = self { told.failure as? SessionError } else { nil } }

  /// The failure of a sign-in by a backend.
  static func backend(_ error: BackendError) -> EngineError { .told(Told(error, ErrorMessage(error))) }

  /// The failure of a sealed session.
  static func session(_ error: SessionError) -> EngineError { .told(Told(error, ErrorMessage(error))) }

  /// The failure of a guest session.
  static func guest(_ error: GuestError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

/// A failure of a sign-in by an app's backend.
enum BackendError: Error, Equatable, Sendable {
  /// `--callback` is not an address at which a callback can end.
  case callbackPrefix(String, CallbackFlaw)
  /// It refused, with its own reason if it gave one.
  case refused(status: Int, reason: String?, Origin)
  case malformedAnswer(member: String, Origin)
  /// The credentials that it returned can't be used.
  case handoff(HandoffError, Origin)
  /// It signed in another identity than the requested one, which it names, or returned another identity's token.
  case otherPerson(asked: String, found: String?, Origin)
  /// No sign-in waits for the callback that the desktop opened, or it could not be delivered.
  case undelivered(SchemeHandlerFailure)
  /// The waiting process expects another callback.
  case unexpectedCallback
}

extension ErrorMessage {
  /// A backend did not sign the user in; nothing was stored.
  init(_ error: BackendError) {
    switch error {
    case .callbackPrefix(let text, let flaw):
      self = .code("usage", .usage)
        .saying("--callback \(printable(text)): \(words(for: flaw))")
        .hint("as in limit://auth, or http://127.0.0.1:8080/callback")
    case .refused(let status, let reason, let origin):
      self = .code("backendRefused", .signInRequired)
        .saying(
          "\(origin) did not sign you in (\(status))" + (reason.map { ": \(printable(String($0.prefix(200))))" } ?? "")
        )
      needsLogin = true
    case .malformedAnswer(let member, let origin):
      self = .code("badAnswer", .serverFailed).saying("\(origin) sent an answer with a bad \(member)")
    case .handoff(let error, let origin):
      self.init(error)
      // A flaw in the data is bad input from a file, and a failure of the server in its answer.
      if status == .badInput { status = .serverFailed }
      text = "\(origin) sent an answer that acct can't use: \(text)"
    case .otherPerson(let asked, let found?, let origin):
      self = .code("otherPerson", .refused)
        .saying("\(origin) signed in \(printable(found)) instead of \(asked)")
        .hint(wrongPersonHint(found, asked))
    case .otherPerson(let asked, nil, let origin):
      self = .code("otherPerson", .serverFailed)
        .saying("\(origin) signed in an identity other than \(asked)")
        .hint("nothing was stored; sign in as \(asked) in the browser")
    case .undelivered(let failure):
      self = .code("callbackUndelivered", .failed)
        .saying("the callback was not accepted: \(words(for: failure))")
        .hint("run the same command again, and keep it running until the browser is done")
    case .unexpectedCallback:
      self = .code("callbackUnexpected", .failed)
        .saying("this is not the callback that the sign-in expects")
        .hint("go back to the page where you sign in")
    }
  }
}

/// Why an address is not the callback that is waited for.
func words(for flaw: CallbackFlaw) -> String {
  switch flaw {
  case .tooLong: "it is longer than \(CallbackAddress.limit / 1024) KiB"
  case .malformed: "it is not an address"
  case .doubled(let name): "\(printable(name)) is present twice"
  case .foreign: "it is neither an app's own scheme nor a loopback address"
  case .unexpected: "it does not match --callback"
  case .incomplete(let name): "there is no \(name)"
  case .unfit(let name): "\(name) is malformed"
  case .mismatched(let name): "its \(name) is not the one that was requested"
  }
}

/// Why the desktop does not hand addresses over.
func words(for failure: SchemeHandlerFailure) -> String {
  switch failure {
  case .nobodyWaits: "no sign-in is waiting for a callback"
  case .failed(let reason): reason
  }
}

/// A session did not continue, because of its backend.
enum SessionError: Error, Equatable, Sendable {
  /// The backend names another user.
  case otherIdentity(expected: String, found: String, Origin)
  /// It reports that a session continues, but not whose it is.
  case unnamed(account: AccountName, Origin)
  /// It could not extend the session; that says nothing about the session itself.
  case notExtended(account: AccountName, reason: String)
  /// It rejects the session, for no reason that would end it.
  case refused(account: AccountName, reason: String)
}

extension ErrorMessage {
  /// A session did not continue; its stored credentials are unchanged.
  init(_ error: SessionError) {
    switch error {
    case .otherIdentity(let expected, let found, let origin):
      self = .code("otherIdentity", .serverFailed)
        .saying("\(origin) names \(found) instead of \(expected)")
        .hint("nothing was changed")
    case .unnamed(let account, let origin):
      self = .code("otherIdentity", .serverFailed)
        .saying("\(origin) does not say that this session is \(account)'s")
        .hint("nothing was changed")
    case .notExtended(let account, let reason):
      self = .code("notExtended", .signInRequired)
        .saying("the session of \(account) could not be extended: \(printable(reason))")
        .hint(loginHint(account))
    case .refused(let account, let reason):
      self = .code("sessionRefused", .signInRequired)
        .saying("the session of \(account) was rejected: \(printable(reason))")
        .hint("the account is kept; if it keeps failing, \(loginHint(account))")
    }
  }
}

/// A failure of a guest session, or of its beginning.
enum GuestError: Error, Equatable, Sendable {
  /// 400, and the backend reports that `X-Device-ID` was missing.
  case deviceIDMissing(Origin)
  /// The same in answer to a request of the user's, who gets the answer as well.
  case requestLacksDeviceID(Origin)
  /// 429; the exhausted limit, where the backend names it, and its message.
  case limited(RateLimit?, message: String?, Origin)
  /// Any other 4xx, with the backend's message.
  case refused(status: Int, message: String?, Origin)
  /// The answer is malformed; `nil` if it is not JSON.
  case malformed(member: String?, Origin)
  /// The file of this machine's identifier has other contents.
  case damagedDeviceID
}

extension GuestError {
  /// Classifies a rejection of a guest's request.
  ///
  /// - Parameters:
  ///   - status: A 4xx.
  ///   - fault: The backend's message.
  ///   - limits: The limits that came with it.
  ///   - origin: The backend.
  init(status: Int, _ fault: BackendFault, _ limits: [RateLimit], _ origin: Origin) {
    self =
      switch status {
      case 400 where fault.namesDeviceID: .deviceIDMissing(origin)
      case 429: .limited(limits.exhausted, message: fault.message, origin)
      default: .refused(status: status, message: fault.message, origin)
      }
  }
}

extension [RateLimit] {
  /// The exhausted limit that resets last; the first limit if none is exhausted.
  var exhausted: RateLimit? {
    filter { $0.remaining ?? 0 == 0 }.max { ($0.usableAgainAt ?? .epoch) < ($1.usableAgainAt ?? .epoch) } ?? first
  }
}

extension ErrorMessage {
  /// A guest session did not begin, or can't continue.
  init(_ error: GuestError) {
    switch error {
    case .deviceIDMissing(let origin), .requestLacksDeviceID(let origin):
      self = .code("deviceIDMissing", .serverFailed)
        .saying("\(origin) reports that X-Device-ID is missing, which every request of a guest contains")
        .hint("check whether a proxy removes it")
      // The answer is on standard output: its status decides, as for every other.
      if case .requestLacksDeviceID = error { status = .failed }
    case .limited(let limit, let message, let origin):
      let hint = limit.map { words(for: $0, at: $0.observedAt) } ?? ""
      self = .code("rateLimited", .rateLimited)
        .saying("the limit of \(origin) is reached" + (message.map { ": \(printable($0))" } ?? ""))
        .hint(hint.isEmpty ? "a new guest session does not reset it; wait" : hint)
    case .refused(let status, let message, let origin):
      let words = message.map { ": \(printable($0))" } ?? ""
      let isSignIn = status == 401 || status == 403
      self = .code("guestRefused", isSignIn ? .signInRequired : .serverFailed)
        .saying("\(origin) does not accept guests (it answered \(status))\(words)")
    case .malformed(let member, let origin):
      self = .code("badAnswer", .serverFailed)
        .saying(
          member.map { "\(origin) sent a guest session with a bad \($0)" }
            ?? "\(origin) sent an answer that is not JSON"
        )
    case .damagedDeviceID:
      self = .code("damagedDeviceID", .badInput)
        .saying("the file device-id contains no identifier of this machine")
        .hint("restore it, or remove it: backends then see a new machine")
    }
  }
}
