/// A JSON value (RFC 8259), as read under the stricter rules of I-JSON (RFC 7493).
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON {
  /// Creates a string, or `null` where there is no text.
  package init(_ text: String?) { self = text.map(JSON.string) ?? .null }
  /// Creates a number, or `null` where there is none.
  package init(_ number: Int64?) { self = number.map { .number(JSONNumber($0)) } ?? .null }

  /// The text, if this is a string.
  package var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The members, if this is an object.
  package var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// The elements, if this is an array.
  package var arrayValue: [JSON]? { if case .array(let value) = self { value } else { nil } }
  /// The truth value, if this is one; a number or a string never is.
  package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number, if this is one; a string of digits is not.
  package var numberValue: JSONNumber? { if case .number(let value) = self { value } else { nil } }
}

// Literals, so that what is written in code reads like what goes over the wire.

extension JSON: ExpressibleByNilLiteral {
  package init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
}

extension JSON: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
  /// Creates an object; a name given twice is the programmer's error, as in a dictionary literal.
  package init(dictionaryLiteral members: (String, JSON)...) { self = .object(JSONObject(unique: members)) }
}
