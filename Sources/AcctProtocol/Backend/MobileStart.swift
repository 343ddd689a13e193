package import AcctModel
import StrictJSON

/// The start of a sign-in at a backend-for-frontend: `POST /api/auth/mobile-start`.
package enum MobileStart: Sendable {
  /// Where the browser goes.
  case started(HTTPURL)
  /// The backend would not, in its own words.
  case refused(reason: String)
  /// 429, with its `Retry-After` as it came.
  case limited(retryAfter: String?)
  /// 5xx, with its `Retry-After` as it came.
  case serverFailed(status: Int, retryAfter: String?)
  /// Anything else.
  case failed(OAuthError)

  /// The request's body.
  ///
  /// - Parameters:
  ///   - handle: Who wants to sign in.
  ///   - challenge: PKCE's, with S256.
  /// - Returns: JSON.
  package static func body(handle: Handle, challenge: String) -> Secret {
    let json: JSON = [
      "handle": .string(handle.description), "code_challenge": .string(challenge),
    ]
    return Secret(json.serialized())
  }

  /// Classifies an answer.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - contentType: The media type, parameters and all.
  ///   - retryAfter: The field's value.
  ///   - location: The field's value.
  ///   - body: The body.
  package init(
    status: Int,
    contentType: String?,
    retryAfter: String? = nil,
    location: String? = nil,
    body: Secret
  ) {
    let answer = BackendAnswer(status: status, contentType: contentType, body: body)
    switch status {
    case 200 where answer.object != nil:
      do { self = try Self.start(answer) } catch { self = .failed(error) }
    case 429: self = .limited(retryAfter: retryAfter)
    case 500...: self = .serverFailed(status: status, retryAfter: retryAfter)
    case 400..<500 where answer.complaint != nil: self = .refused(reason: answer.complaint ?? "")
    default: self = .failed(answer.flaw(location: location))
    }
  }

  private static func start(_ answer: BackendAnswer) throws(OAuthError) -> MobileStart {
    if answer.object?["success"] == .bool(false) {
      return .refused(reason: answer.complaint ?? "the backend did not say why")
    }
    guard answer.object?["success"] == .bool(true) else {
      throw .malformedAnswer(member: "success")
    }
    guard let address = try answer.parsed("authUrl", HTTPURL.init) else {
      throw .malformedAnswer(member: "authUrl")
    }
    return .started(address)
  }
}
