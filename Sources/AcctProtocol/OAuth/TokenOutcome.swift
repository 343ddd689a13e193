import StrictJSON

/// The meaning of an answer to a refresh; the one place that may call the session dead.
package enum TokenOutcome: Sendable {
  case granted(TokenResponse)
  /// The server's own `invalid_grant`: the session is over.
  case ended(description: String?)
  /// Anything else: the credential stays.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  ///
  /// - Parameters:
  ///   - answer: A token endpoint's.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  package init(_ answer: ServerAnswer, boundTo key: String?) {
    switch (answer.status, answer.object) {
    case (200, let object?):
      do {
        self = .granted(try TokenResponse(.object(object), boundTo: key, showing: answer.shown))
      } catch {
        self = .unanswered(.failed(error))
      }
    case (400..<500, _) where answer.status != 429 && answer.errorCode == "invalid_grant":
      self = .ended(description: answer.description)
    default: self = .unanswered(answer.noAnswer)
    }
  }
}
