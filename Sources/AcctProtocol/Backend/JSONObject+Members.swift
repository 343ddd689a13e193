import AcctModel
import StrictJSON

/// Members of an answer, `nil` where they are `null` or not there.
extension JSONObject {
  func text(_ member: String) throws(OAuthError) -> String? {
    guard let value = self[member], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformedAnswer(member: member) }
    return text
  }

  /// A member that a type of the model parses.
  func parsed<Value>(_ member: String, _ parse: (String) throws(ParseError) -> Value) throws(OAuthError) -> Value? {
    guard let text = try text(member) else { return nil }
    do { return try parse(text) } catch { throw .malformedAnswer(member: member) }
  }
}
