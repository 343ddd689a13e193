import AcctModel
import StrictJSON

/// A backend's answer to a request for a new session, to `GET /mobile/refresh-token`.
package enum SessionRefreshAnswer: Sendable {
  /// A new sealed session in place of the old one, and whose it is.
  case granted(SealedSession, SessionOwner)
  /// It takes the session for none: 401.
  case refused(reason: String)
  /// It tried, and could not: worth one more try.
  case couldNot(reason: String)
  /// Anything else.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    let isDenied = answer.object?["success"] == .bool(false)
    switch (answer.status, answer.object) {
    // The backend's own words distinguish its refusal from a proxy's page for a backend that is
    // down.
    case (200, _) where isDenied, (500, _) where isDenied || answer.errorCode != nil:
      self = .couldNot(reason: answer.errorCode ?? "the refresh failed")
    case (200, let object?): do { self = try Self.grant(object) } catch { self = .unanswered(.failed(error)) }
    case (401, _): self = .refused(reason: answer.errorCode ?? "the refresh was refused")
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func grant(_ object: JSONObject) throws(OAuthError) -> SessionRefreshAnswer {
    guard object["success"] == .bool(true) else { throw .malformedAnswer(member: "success") }
    guard let payload = object["payload"]?.objectValue else { throw .malformedAnswer(member: "payload") }
    guard let session = try payload.parsed("sid", SealedSession.init(_:)) else { throw .malformedAnswer(member: "sid") }
    return .granted(session, try SessionOwner(payload))
  }
}
