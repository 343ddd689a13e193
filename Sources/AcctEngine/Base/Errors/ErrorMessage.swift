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

  package init(_ code: String, _ status: ExitStatus, _ text: String, hint: String? = nil, retryAfter: RetryAfter? = nil)
  {
    self.code = code
    self.status = status
    self.text = text
    self.hint = hint
    self.retryAfter = retryAfter
  }
}
