package import AcctModel
import StrictJSON

/// What a backend says of a session: the answer to `GET /api/auth/session`.
package enum SessionAnswer: Sendable {
  /// The session goes on.
  case valid(SessionDetails)
  /// It does not, by the server's own word: 401 with a reason.
  case ended(reason: String)
  /// 401 for a fault of the backend's own, `exception_thrown`: to be asked again.
  case exceptionThrown(reason: String)
  /// Refused without a reason, which ends nothing.
  case refused(reason: String)
  /// 429, with its `Retry-After` as it came.
  case limited(retryAfter: String?)
  /// 5xx, with its `Retry-After` as it came.
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
    switch status {
    case 200 where answer.object != nil:
      do { self = try Self.confirmation(answer) } catch { self = .failed(error) }
    case 401: self = Self.refusal(answer)
    case 429: self = .limited(retryAfter: retryAfter)
    case 500...: self = .serverFailed(status: status, retryAfter: retryAfter)
    default: self = .failed(answer.flaw(location: location))
    }
  }

  private static func confirmation(_ answer: BackendAnswer) throws(OAuthError) -> SessionAnswer {
    guard let isValid = answer.object?["valid"]?.boolValue else {
      throw .malformedAnswer(member: "valid")
    }
    guard isValid else {
      return .refused(reason: answer.complaint ?? "the backend says that it is not valid")
    }
    return .valid(try SessionDetails(answer))
  }

  private static func refusal(_ answer: BackendAnswer) -> SessionAnswer {
    guard let code = answer.object?["reason"]?.stringValue, !code.isEmpty else {
      return .refused(reason: answer.complaint ?? "the backend answered 401 without a reason")
    }
    let name = String(code.prefix(64))
    let reason = answer.complaint.map { "\($0) (\(name))" } ?? name
    return code == "exception_thrown" ? .exceptionThrown(reason: reason) : .ended(reason: reason)
  }
}

/// Whose session it is, and for how long.
///
/// The tokens that the answer may hold as well are the backend's business; they are not read.
package struct SessionDetails: Equatable, Sendable {
  package var did: DID?
  package var handle: Handle?
  package var displayName: String?
  /// `nil`: until the backend says otherwise.
  package var expiresAt: Timestamp?

  init(_ answer: BackendAnswer) throws(OAuthError) {
    did = try answer.parsed("did", DID.init)
    handle = try answer.parsed("handle", Handle.init)
    // The same by another name, for old apps; two answers to one question are none.
    let alias = try answer.parsed("userHandle", Handle.init)
    guard handle == nil || alias == nil || handle == alias else {
      throw .malformedAnswer(member: "userHandle")
    }
    handle = handle ?? alias
    displayName = try answer.text("displayName").flatMap { $0.isEmpty ? nil : $0 }
    expiresAt = try Self.time(answer.object?["expiresAt"])
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
