/// A position in a JSON text, and the grammar of RFC 8259 from there on.
///
/// The bytes are an argument of each step, since a span cannot be stored.
struct JSONReader {
  var position = 0
  /// `true` to read on where the grammar is broken; see ``JSON/init(leniently:maximumBytes:)``.
  var isLenient = false

  mutating func text(in bytes: Span<UInt8>) throws(JSONError) -> JSON {
    let value = try value(in: bytes, depth: 0)
    try end(in: bytes)
    return value
  }

  /// Makes sure that nothing follows.
  mutating func end(in bytes: Span<UInt8>) throws(JSONError) {
    skipWhitespace(in: bytes)
    guard position == bytes.count || isLenient else { throw .unexpected(offset: position) }
  }

  /// Reads a value that lies within so many arrays and objects.
  mutating func value(in bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSON {
    switch try next(in: bytes) {
    case .openBrace: return .object(try object(in: bytes, depth: depth + 1))
    case .openBracket: return .array(try array(in: bytes, depth: depth + 1))
    case .quote: return .string(try string(in: bytes))
    case _ where isLenient: return try word(in: bytes)
    case .minus, 0x30...0x39: return .number(try number(in: bytes))
    case UInt8(ascii: "t"): return try keyword("true", in: bytes, .bool(true))
    case UInt8(ascii: "f"): return try keyword("false", in: bytes, .bool(false))
    case UInt8(ascii: "n"): return try keyword("null", in: bytes, .null)
    default: throw .unexpected(offset: position)
    }
  }

  private mutating func object(in bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
    guard depth <= JSON.maximumDepth else { throw .tooDeep }
    var object = JSONObject()
    position += 1
    if try next(in: bytes) == .closeBrace { position += 1; return object }
    object.reserveCapacity(8)
    while true {
      let name = try name(in: bytes)
      let value = try value(in: bytes, depth: depth)
      if !object.append(name, value) {
        guard isLenient else { throw .duplicateMember(name) }
        object[name] = value
      }
      if try isLast(before: .closeBrace, in: bytes) { return object }
    }
  }

  /// Steps over a member's name and its colon.
  mutating func name(in bytes: Span<UInt8>) throws(JSONError) -> String {
    guard try next(in: bytes) == .quote else { throw .unexpected(offset: position) }
    let name = try string(in: bytes)
    try stepOverColon(in: bytes)
    return name
  }

  mutating func stepOverColon(in bytes: Span<UInt8>) throws(JSONError) {
    guard try next(in: bytes) == .colon else { throw .unexpected(offset: position) }
    position += 1
  }

  private mutating func array(in bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSON] {
    guard depth <= JSON.maximumDepth else { throw .tooDeep }
    var elements: [JSON] = []
    position += 1
    if try next(in: bytes) == .closeBracket { position += 1; return elements }
    while true {
      elements.append(try value(in: bytes, depth: depth))
      if try isLast(before: .closeBracket, in: bytes) { return elements }
    }
  }

  /// Steps over a comma, or over the end of the array or object.
  mutating func isLast(before end: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Bool {
    let byte = try next(in: bytes)
    guard byte == end || byte == .comma else { throw .unexpected(offset: position) }
    position += 1
    if isLenient, byte == .comma, try next(in: bytes) == end {
      position += 1
      return true
    }
    return byte == end
  }

  private mutating func number(in bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let start = position
    switch JSONNumber.length(in: bytes, from: start) {
    case .number(let end): position = end
    case .truncated: throw .truncated
    case .unexpected(let offset): throw .unexpected(offset: offset)
    }
    return JSONNumber(checked: try piece(of: bytes, start..<position))
  }

  private mutating func keyword(_ word: String, in bytes: Span<UInt8>, _ value: JSON) throws(JSONError) -> JSON {
    for character in word.utf8 {
      guard position < bytes.count else { throw .truncated }
      guard bytes[position] == character else { throw .unexpected(offset: position) }
      position += 1
    }
    return value
  }

  /// The next byte that is not white space; it is not stepped over.
  mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
    skipWhitespace(in: bytes)
    guard position < bytes.count else { throw .truncated }
    return bytes[position]
  }

  mutating func skipWhitespace(in bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// The text of a piece that is cut at ASCII characters.
  func piece(of bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
    do { return String(copying: try UTF8Span(validating: bytes.extracting(range))) } catch { throw .notUTF8 }
  }
}

extension UInt8 {
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let minus = UInt8(ascii: "-")
}

/// Why bytes are not JSON; the one error of this room.
///
/// No case carries a value from the text, since any value may be a secret.
package enum JSONError: Error, Equatable, Sendable {
  /// More bytes than the caller allows.
  case tooLarge
  /// More than ``JSON/maximumDepth`` arrays and objects within each other.
  case tooDeep
  /// Not UTF-8: a stray byte, an overlong form, or an encoded surrogate.
  case notUTF8
  /// The text ends before its value does.
  case truncated
  /// An object has two members of this name (RFC 7493, section 2.3).
  case duplicateMember(String)
  /// An unexpected byte at this offset.
  case unexpected(offset: Int)
}
