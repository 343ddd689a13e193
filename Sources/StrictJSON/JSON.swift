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

// Literals, so that JSON in code reads like JSON on the wire.

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

extension JSON {
  /// The greatest number of arrays and objects that may lie within each other.
  package static let maximumDepth = 64

  /// Reads one JSON text, strictly: RFC 8259 and nothing more, in UTF-8 without a byte order
  /// mark, no member twice, no lone surrogate (RFC 7493).
  ///
  /// The time taken grows with the number of bytes alone, and the stack used is bounded.
  ///
  /// - Parameters:
  ///   - bytes: The text, from its first byte to its last.
  ///   - maximumBytes: The most bytes that are read at all.
  /// - Throws: ``JSONError``.
  package init(parsing bytes: Span<UInt8>, maximumBytes: Int = 1 << 20) throws(JSONError) {
    try Self.check(bytes, maximumBytes: maximumBytes)
    var reader = JSONReader()
    self = try reader.text(in: bytes)
  }

  /// Reads one JSON text; see ``init(parsing:maximumBytes:)-(Span<UInt8>,_)``.
  package init(parsing bytes: [UInt8], maximumBytes: Int = 1 << 20) throws(JSONError) {
    try self.init(parsing: bytes.span, maximumBytes: maximumBytes)
  }

  /// Checks the length of a text, and its encoding, before it is read.
  static func check(_ bytes: Span<UInt8>, maximumBytes: Int) throws(JSONError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    // Once for the whole text: every piece cut at an ASCII character is then valid, too.
    do { _ = try UTF8Span(validating: bytes) } catch { throw .notUTF8 }
  }
}
