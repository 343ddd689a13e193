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
    case (200..<300, let object?):
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
    displayName = object["displayName"]?.stringValue.flatMap { $0.isEmpty ? nil : shown($0) }
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

/// A backend's answer to a request for a new session, to `GET /mobile/refresh-token`.
package enum SessionRefreshAnswer: Sendable {
  /// A new sealed session in place of the old one, and its owner.
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
    switch (answer.status, answer.grant) {
    // The backend's own words distinguish its refusal from a proxy's page for a backend that is
    // down.
    case (200..<300, _) where isDenied, (500, _) where isDenied || answer.isError:
      self = .couldNot(reason: answer.errorCode ?? "the refresh failed")
    case (_, let grant?):
      do { self = try Self.grant(grant.object) } catch {
        self = .unanswered(answer.object == nil ? answer.noAnswer : .failed(error))
      }
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

/// Members of an answer, `nil` where they are `null`, empty or not there.
extension JSONObject {
  func text(_ member: String) throws(OAuthError) -> String? {
    guard let value = self[member], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformedAnswer(member: member) }
    return text.isEmpty ? nil : text
  }

  /// A member that a type of the model parses.
  func parsed<Value>(_ member: String, _ parse: (String) throws(ParseError) -> Value) throws(OAuthError) -> Value? {
    guard let text = try text(member) else { return nil }
    do { return try parse(text) } catch { throw .malformedAnswer(member: member) }
  }
}
