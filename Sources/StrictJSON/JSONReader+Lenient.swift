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
