package import AcctModel
import StrictJSON

/// A backend's answer about a session, to `GET /api/auth/session`.
package enum SessionAnswer: Sendable {
  /// The session is valid.
  case valid(SessionDetails)
  /// The server ended it: 401 with a reason.
  case ended(reason: String)
  /// 401 for a fault of the backend's own, `exception_thrown`: worth another try.
  case exceptionThrown(reason: String)
  /// Rejected without a reason, which ends nothing.
  case refused(reason: String)
  /// Any other answer.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    switch (answer.status, answer.object) {
    case (200, let object?):
      do { self = try Self.confirmation(object, answer) } catch { self = .unanswered(.failed(error)) }
    case (401, _): self = Self.refusal(answer.text("reason"), answer.errorCode)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func confirmation(_ object: JSONObject, _ answer: ServerAnswer) throws(OAuthError) -> SessionAnswer {
    guard let isValid = object["valid"]?.boolValue else { throw .malformedAnswer(member: "valid") }
    guard isValid else { return .refused(reason: answer.errorCode ?? "the backend says that it is not valid") }
    return .valid(try SessionDetails(object, showing: answer.shown))
  }

  private static func refusal(_ code: String?, _ errorCode: String?) -> SessionAnswer {
    guard let code, !code.isEmpty else {
      return .refused(reason: errorCode ?? "the backend answered 401 without a reason")
    }
    let name = String(code.prefix(64))
    let reason = errorCode.map { "\($0) (\(name))" } ?? name
    return code == "exception_thrown" ? .exceptionThrown(reason: reason) : .ended(reason: reason)
  }
}

/// The owner of a session, and its end.
///
/// The tokens that the answer may contain as well belong to the backend; they are not read.
package struct SessionDetails: Equatable, Sendable {
  package let owner: SessionOwner
  package let displayName: String?
  /// `nil`: until the backend says otherwise.
  package let expiresAt: Timestamp?

  init(_ object: JSONObject, showing shown: (String) -> String) throws(OAuthError) {
    owner = try SessionOwner(object)
    displayName = try object.text("displayName").flatMap { $0.isEmpty ? nil : shown($0) }
    expiresAt = try Self.time(object["expiresAt"])
  }

  /// Milliseconds, seconds or ISO 8601: all are in use.
  private static func time(_ value: JSON?) throws(OAuthError) -> Timestamp? {
    guard let value, value != .null else { return nil }
    let time =
      value.looseNumber.flatMap { Timestamp(number: $0) }
      ?? value.stringValue.flatMap { try? Timestamp($0) }
    guard let time else { throw .malformedAnswer(member: "expiresAt") }
    return time
  }
}
