import AcctModel
import StrictJSON

/// What a backend's answer has in common, whatever was asked.
struct BackendAnswer {
  let status: Int
  /// The body, where it is a JSON object and says so.
  let object: JSONObject?

  init(status: Int, contentType: String?, body: Secret) {
    self.status = status
    object =
      contentType.isJSON
      ? (body.withBytes { span in try? JSON(parsing: span) })?.objectValue : nil
  }

  /// A text, or `nil` where the member is `null` or not there.
  func text(_ member: String) throws(OAuthError) -> String? {
    guard let value = object?[member], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformedAnswer(member: member) }
    return text
  }

  /// A member that a type of the model parses.
  func parsed<Value>(
    _ member: String,
    _ parse: (String) throws(Malformed) -> Value
  ) throws(OAuthError) -> Value? {
    guard let text = try text(member) else { return nil }
    do { return try parse(text) } catch { throw .malformedAnswer(member: member) }
  }

  /// What the backend says is wrong, cut where it gets too long to be kept.
  var complaint: String? {
    object?["error"]?.stringValue.map { String($0.prefix(200)) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What no call of a backend may be answered with, in one place.
  func flaw(location: String?) -> OAuthError {
    switch status {
    case 300..<400: .redirected(to: location)
    case 200 where object == nil: .notJSON(status: status)
    default:
      complaint.map { .refused(code: $0, description: nil, status: status) }
        ?? .unexplained(status: status)
    }
  }
}
