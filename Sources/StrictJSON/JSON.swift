import Text

/// A JSON value (RFC 8259), as read under the stricter rules of I-JSON (RFC 7493).
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)

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

  /// Writes the value as compact JSON in UTF-8.
  ///
  /// A value always yields the same bytes: members stay in their order, numbers as they were written. Only characters
  /// that must be are escaped (RFC 8259, section 7), and those that could hide or reorder text on a terminal, so that
  /// a server's words are as harmless in JSON as elsewhere.
  package func serialized() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(Self.usualSize)
    write(to: &output)
    return output
  }

  /// Writes an object of these members as ``serialized()`` does, without making it first.
  package static func serialized(_ members: KeyValuePairs<String, JSON>) -> [UInt8] {
    serialized(members.map { ($0, $1) })
  }

  /// Writes an object of these members as ``serialized()`` does, without making it first.
  package static func serialized(_ members: [(String, JSON)]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(Self.usualSize)
    output.append(.openBrace)
    for (name, value) in members { write(name, value, to: &output) }
    output.append(.closeBrace)
    return output
  }

  /// Writes an object whose last member is an array, as compact as ``serialized()``.
  ///
  /// The elements are texts already, so that those of a long list never lie in memory as trees.
  ///
  /// - Parameters:
  ///   - members: The first members of the object; at least one.
  ///   - name: The array's name.
  ///   - elements: The array's elements, each as ``serialized()`` has it.
  ///   - take: Takes the text in UTF-8, part by part.
  /// - Throws: What `take` throws.
  package static func serialize<Failure: Error>(
    _ members: JSONObject,
    _ name: String,
    of elements: [[UInt8]],
    _ take: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var output = JSON.object(members).serialized()
    output[output.count - 1] = .comma
    write(quoted: name, to: &output)
    output.append(contentsOf: ":[".utf8)
    var isFirst = true
    for element in elements {
      if !isFirst { output.append(.comma) }
      isFirst = false
      output.append(contentsOf: element)
      guard output.count >= partSize else { continue }
      try take(&output)
      output.removeAll(keepingCapacity: true)
      // Once for all of the next part; the receiver of the last one may have kept its storage.
      output.reserveCapacity(partSize + usualSize)
    }
    output.append(contentsOf: "]}".utf8)
    try take(&output)
  }

  /// In bytes; the last element of a part may reach beyond it.
  private static let partSize = 1 << 15

  /// As many bytes as an account takes, so that most texts are never moved while they grow.
  private static let usualSize = 576

  private func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.literal.utf8)
    case .string(let text): Self.write(quoted: text, to: &output)
    case .array(let elements):
      output.append(.openBracket)
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(.comma) }
        element.write(to: &output)
      }
      output.append(.closeBracket)
    case .object(let object):
      output.append(.openBrace)
      for (name, value) in object { Self.write(name, value, to: &output) }
      output.append(.closeBrace)
    }
  }

  private static func write(_ name: String, _ value: JSON, to output: inout [UInt8]) {
    if output.last != .openBrace { output.append(.comma) }
    write(quoted: name, to: &output)
    output.append(.colon)
    value.write(to: &output)
  }

  private static func write(quoted text: String, to output: inout [UInt8]) {
    output.append(.quote)
    defer { output.append(.quote) }
    // Nearly every text is plain, and is then copied as it lies.
    if text.isPlain {
      output.append(contentsOf: text.utf8)
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": output.append(contentsOf: [.backslash, UInt8(ascii: scalar)])
      case "\u{08}": output.append(contentsOf: "\\b".utf8)
      case "\t": output.append(contentsOf: "\\t".utf8)
      case "\n": output.append(contentsOf: "\\n".utf8)
      case "\u{0C}": output.append(contentsOf: "\\f".utf8)
      case "\r": output.append(contentsOf: "\\r".utf8)
      case "\u{20}"..."\u{7E}": output.append(UInt8(ascii: scalar))
      case _ where scalar.isInvisible: write(escaped: scalar, to: &output)
      default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  /// One escape, or two for the surrogates of a scalar beyond the basic plane.
  private static func write(escaped scalar: Unicode.Scalar, to output: inout [UInt8]) {
    for unit in String(scalar).utf16 {
      output.append(contentsOf: "\\u".utf8)
      output.append(hexadecimal: UInt8(unit >> 8))
      output.append(hexadecimal: UInt8(unit & 0xFF))
    }
  }
}

extension String {
  /// `true` if it is ASCII and stands in JSON as it is.
  fileprivate var isPlain: Bool {
    let bytes = utf8Span.span
    // Without a way out in the middle, sixteen bytes are looked at in one step.
    var odd: UInt8 = 0
    for index in bytes.indices {
      let byte = bytes[index]
      odd |= (byte &- 0x20 > 0x5E ? 1 : 0) | (byte == .quote ? 1 : 0) | (byte == .backslash ? 1 : 0)
    }
    return odd == 0
  }
}

extension Unicode.Scalar {
  /// A control or format character, a separator of lines, or an invisible character: all that could not go to a
  /// terminal as it is, where an escape of another kind would spoil the JSON.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
