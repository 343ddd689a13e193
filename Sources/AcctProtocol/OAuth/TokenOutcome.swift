package import AcctModel
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
  /// Some servers send errors with the status 200 (GitHub): an `error` without an access token is that
  /// error, whatever the status.
  ///
  /// - Parameters:
  ///   - answer: A token endpoint's.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  package init(_ answer: ServerAnswer, boundTo key: String?) {
    let isError = answer.isError && answer.object?["access_token"]?.stringValue == nil
    switch (answer.status, answer.object) {
    case (200, let object?) where !isError:
      do {
        self = .granted(try TokenResponse(.object(object), boundTo: key, showing: answer.shown))
      } catch {
        self = .unanswered(.failed(error))
      }
    case (200, _) where answer.errorCode == "invalid_grant",
      (400..<500, _) where answer.status != 429 && answer.errorCode == "invalid_grant":
      self = .ended(description: answer.description)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  /// The same for an account whose tokens are of a type: tokens of another type are an error.
  ///
  /// The server decides the type with each answer (RFC 6749, section 5.1). A bound account that is
  /// answered `Bearer` can't keep that token as a bound one, and never becomes a bearer account by
  /// itself: its tokens would lose the protection of the key unseen.
  package func requiring(_ type: Account.TokenType) -> TokenOutcome {
    guard case .granted(let response) = self, response.tokenType != type else { return self }
    return .unanswered(.failed(.tokenType(response.tokenType.rawValue)))
  }
}
