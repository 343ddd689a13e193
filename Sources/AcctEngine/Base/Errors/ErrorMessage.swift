package import AcctProtocol

/// The report of a failure: one line, one hint, one exit status, one code for scripts.
package struct ErrorMessage: Equatable, Sendable {
  package var code: String
  package var text: String
  package var hint: String?
  package var status: ExitStatus
  /// When the server accepts another request; it belongs into the hint.
  package var retryAfter: RetryAfter?
  /// `true` if the hint is to sign in to the command's account again.
  package var needsLogin = false

  /// The code that scripts tell a failure by, with its exit status; the words follow.
  package struct Code: Sendable {
    fileprivate let code: String
    fileprivate let status: ExitStatus

    /// The same with the words for people: what happened, without a full stop.
    package func saying(_ text: String) -> ErrorMessage { ErrorMessage(code: code, text: text, status: status) }
  }

  package static func code(_ code: String, _ status: ExitStatus) -> Code { Code(code: code, status: status) }

  /// The same with what to do next, if something is known.
  package func hint(_ hint: String?) -> ErrorMessage {
    var message = self
    message.hint = hint
    return message
  }

  /// The same with the time from which the server takes requests again.
  package func retryAfter(_ retryAfter: RetryAfter?) -> ErrorMessage {
    var message = self
    message.retryAfter = retryAfter
    return message
  }
}
