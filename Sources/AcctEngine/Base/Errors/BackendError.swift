package import AcctModel
package import AcctPorts
package import AcctProtocol

/// Why a backend of an app did not sign the user in.
package enum BackendError: Error, Equatable, Sendable {
  /// `--callback` is not where a callback can end.
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
  /// The process that waits wants another callback.
  case unexpectedCallback
}
