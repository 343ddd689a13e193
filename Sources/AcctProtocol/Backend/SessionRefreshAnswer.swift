package import AcctModel
import StrictJSON

/// What a backend says when a session is to be extended: the answer to
/// `GET /mobile/refresh-token`.
package enum SessionRefreshAnswer: Sendable {
  /// A new sealed session in place of the old one, and whose it is.
  case granted(SealedSession, DID?)
  /// It takes the session for none: 401.
  case refused(reason: String)
  /// It tried, and could not: worth one more try.
  case couldNot(reason: String)
  /// 429, with its `Retry-After` as it came.
  case limited(retryAfter: String?)
  /// 5xx that says nothing of the session, with its `Retry-After` as it came.
  case serverFailed(status: Int, retryAfter: String?)
  /// Anything else: nothing changes.
  case failed(OAuthError)

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
    let isDenied = answer.object?["success"] == .bool(false)
    switch status {
    case 200 where isDenied:
      self = .couldNot(reason: answer.complaint ?? "the refresh failed")
    case 200 where answer.object != nil:
      do { self = try Self.grant(answer) } catch { self = .failed(error) }
    case 401: self = .refused(reason: answer.complaint ?? "the refresh was refused")
    case 429: self = .limited(retryAfter: retryAfter)
    // The backend's own words tell its "no" from a proxy's page for a backend that is down.
    case 500 where isDenied || answer.complaint != nil:
      self = .couldNot(reason: answer.complaint ?? "the refresh failed")
    case 500...: self = .serverFailed(status: status, retryAfter: retryAfter)
    default: self = .failed(answer.flaw(location: location))
    }
  }

  private static func grant(_ answer: BackendAnswer) throws(OAuthError) -> SessionRefreshAnswer {
    guard answer.object?["success"] == .bool(true) else {
      throw .malformedAnswer(member: "success")
    }
    guard let payload = answer.object?["payload"]?.objectValue else {
      throw .malformedAnswer(member: "payload")
    }
    guard let sid = payload["sid"]?.stringValue, let session = try? SealedSession(sid) else {
      throw .malformedAnswer(member: "sid")
    }
    guard let did = payload["did"], did != .null else { return .granted(session, nil) }
    guard let text = did.stringValue, let parsed = try? DID(text) else {
      throw .malformedAnswer(member: "did")
    }
    return .granted(session, parsed)
  }
}
