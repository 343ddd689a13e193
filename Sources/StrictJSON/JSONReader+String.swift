import Text

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
