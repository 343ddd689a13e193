import Text

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

extension JSON {
  /// Reads one JSON text as far as it can be understood.
  ///
  /// What ``init(parsing:maximumBytes:)-(Span<UInt8>,_)`` takes is read alike. Beyond that, a byte order mark in front and
  /// anything behind the value are skipped; of members of one name the last counts; bytes that are not UTF-8 and escapes
  /// that name no character become U+FFFD; control characters stand in strings; a comma may precede the end of an array
  /// or object; and a word that is no value is `null`. The limits of size and depth are the same.
  ///
  /// It is for answers whose loss costs more than a wrong reading of them: see `ServerAnswer.grant`.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - maximumBytes: The most bytes that are read at all.
  /// - Throws: ``JSONError``.
  package init(leniently bytes: Span<UInt8>, maximumBytes: Int = 1 << 20) throws(JSONError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    var raw: [UInt8] = []
    raw.reserveCapacity(bytes.count)
    for index in bytes.indices { raw.append(bytes[index]) }
    let text = Array(String(decoding: raw, as: UTF8.self).utf8)
    var reader = JSONReader(isLenient: true)
    reader.skipMarks(in: text.span)
    self = try reader.text(in: text.span)
  }
}

extension JSONReader {
  /// Steps over white space and byte order marks.
  fileprivate mutating func skipMarks(in bytes: Span<UInt8>) {
    skipWhitespace(in: bytes)
    while position + 2 < bytes.count, bytes[position] == 0xEF, bytes[position + 1] == 0xBB, bytes[position + 2] == 0xBF
    {
      position += 3
      skipWhitespace(in: bytes)
    }
  }

  /// Reads a number, a keyword, or anything else in its place, which is `null`.
  mutating func word(in bytes: Span<UInt8>) throws(JSONError) -> JSON {
    let start = position
    while position < bytes.count, !bytes[position].endsWord { position += 1 }
    switch try piece(of: bytes, start..<position) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let text: return JSONNumber(text).map(JSON.number) ?? .null
    }
  }

  /// The scalar of an escape, or U+FFFD for one that names none; the text behind its backslash then stands for itself.
  mutating func lenientEscape(in bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    let start = position
    do {
      return try escape(in: bytes)
    } catch .unexpected {
      position = start
      return "\u{FFFD}"
    }
  }
}

extension UInt8 {
  fileprivate var endsWord: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0D, .comma, .colon, .quote, .openBrace, .closeBrace, .openBracket, .closeBracket: true
    default: false
    }
  }
}

extension JSONReader {
  /// Reads a string (RFC 8259, section 7); the position is at its opening quote.
  ///
  /// An escape may not name half a surrogate pair: nothing in UTF-8 could stand for it.
  mutating func string(in bytes: Span<UInt8>) throws(JSONError) -> String {
    position += 1
    var start = position
    // Only a string with escapes is put together in a buffer of its own.
    var unescaped: [UInt8] = []
    while true {
      position = endOfPlainText(in: bytes, from: position)
      guard position < bytes.count else { throw .truncated }
      switch bytes[position] {
      case .quote:
        defer { position += 1 }
        if unescaped.isEmpty { return try piece(of: bytes, start..<position) }
        append(bytes, start..<position, to: &unescaped)
        return try piece(of: unescaped.span, 0..<unescaped.count)
      case .backslash:
        append(bytes, start..<position, to: &unescaped)
        position += 1
        unescaped.append(contentsOf: String(try isLenient ? lenientEscape(in: bytes) : escape(in: bytes)).utf8)
        start = position
      case _ where isLenient:
        append(bytes, start..<position + 1, to: &unescaped)
        position += 1
        start = position
      default: throw .unexpected(offset: position)
      }
    }
  }

  /// Steps over a string that has no escapes.
  ///
  /// - Returns: Its range between the quotes; `nil`, and nothing is stepped over, where there is anything else.
  mutating func plainString(in bytes: Span<UInt8>) throws(JSONError) -> Range<Int>? {
    guard try next(in: bytes) == .quote else { return nil }
    let end = endOfPlainText(in: bytes, from: position + 1)
    guard end < bytes.count, bytes[end] == .quote else { return nil }
    defer { position = end + 1 }
    return position + 1..<end
  }

  /// The position of the next quote, backslash or control character, or of the text's end.
  private func endOfPlainText(in bytes: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte < 0x20 || byte == .quote || byte == .backslash { break }
      end += 1
    }
    return end
  }

  private func append(_ bytes: Span<UInt8>, _ range: Range<Int>, to buffer: inout [UInt8]) {
    for index in range { buffer.append(bytes[index]) }
  }

  /// The scalar that an escape stands for; the position is behind its backslash.
  mutating func escape(in bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    guard position < bytes.count else { throw .truncated }
    position += 1
    switch bytes[position - 1] {
    case .quote: return "\""
    case .backslash: return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(in: bytes)
    default: throw .unexpected(offset: position - 1)
    }
  }

  private mutating func unicodeEscape(in bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    let start = position - 2
    let first = try fourHexDigits(in: bytes)
    if let scalar = Unicode.Scalar(first) { return scalar }
    // Not a scalar, so a surrogate: only a high one with a low one behind it is a character.
    guard first < 0xDC00 else { throw .unexpected(offset: start) }
    for expected in [UInt8.backslash, UInt8(ascii: "u")] {
      guard position < bytes.count else { throw .truncated }
      guard bytes[position] == expected else { throw .unexpected(offset: start) }
      position += 1
    }
    let second = try fourHexDigits(in: bytes)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw .unexpected(offset: start) }
    return scalar
  }

  private mutating func fourHexDigits(in bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard position < bytes.count else { throw .truncated }
      guard let digit = bytes[position].hexadecimalValue else { throw .unexpected(offset: position) }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
