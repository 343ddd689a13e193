package import AcctModel
import StrictJSON

/// The start of a sign-in at a backend-for-frontend: `POST /api/auth/mobile-start`.
package enum MobileStart: Sendable {
  /// Where the browser goes.
  case started(HTTPURL)
  /// The backend refused, in its own words.
  case refused(reason: String)
  /// Any other answer.
  case unanswered(NoAnswer)

  /// The request's body.
  ///
  /// - Parameters:
  ///   - handle: Who wants to sign in.
  ///   - challenge: PKCE's, with S256.
  /// - Returns: JSON.
  package static func body(handle: Handle, challenge: String) -> Secret {
    let json: JSON = ["handle": .string(handle.description), "code_challenge": .string(challenge)]
    return Secret(json.serialized())
  }

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    switch (answer.status, answer.errorCode) {
    case (200, _) where answer.object != nil:
      do { self = try Self.start(answer) } catch { self = .unanswered(.failed(error)) }
    case (400..<500, let reason?) where answer.status != 429: self = .refused(reason: reason)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func start(_ answer: ServerAnswer) throws(OAuthError) -> MobileStart {
    if answer.object?["success"] == .bool(false) {
      return .refused(reason: answer.errorCode ?? "the backend did not say why")
    }
    guard answer.object?["success"] == .bool(true) else { throw .malformedAnswer(member: "success") }
    guard let address = try answer.object?.parsed("authUrl", HTTPURL.init) else {
      throw .malformedAnswer(member: "authUrl")
    }
    return .started(address)
  }
}
