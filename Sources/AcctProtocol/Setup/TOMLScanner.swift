/// A position in a TOML file, and the grammar from there on.
///
/// The bytes are an argument of each step, since a span cannot be stored.
struct TOMLScanner {
  var position = 0
  /// The end of the key that was read last, without the space behind it.
  private(set) var keyEnd = 0

  /// The flaw of a malformed byte; ``TOMLOutline`` names its line.
  var flaw: SettingsFlaw { .form("") }

  mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func require(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) throws(SettingsFlaw) {
    skipSpace(bytes)
    guard take(character, bytes) else { throw flaw }
  }

  mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  /// Steps over white space, empty lines and comments.
  mutating func skipLines(_ bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case UInt8(ascii: "#"): while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      default: return
      }
    }
  }

  /// Steps over the rest of a line, which may have a comment, and its end.
  mutating func endLine(_ bytes: Span<UInt8>) throws(SettingsFlaw) {
    skipSpace(bytes)
    if position < bytes.count, bytes[position] == UInt8(ascii: "#") {
      while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    }
    _ = take("\r", bytes)
    guard position == bytes.count || take("\n", bytes) else { throw flaw }
  }

  func lineStart(_ bytes: Span<UInt8>) -> Int {
    var start = position
    while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
    return start
  }

  /// Keys with dots between them, and the start of the last one.
  mutating func keys(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> (keys: [String], last: Int) {
    var keys: [String] = []
    while true {
      skipSpace(bytes)
      let start = position
      guard position < bytes.count else { throw flaw }
      if let quote = quote(bytes), !isTriple(quote, bytes) {
        keys.append(try string(bytes))
      } else {
        while position < bytes.count, isBare(bytes[position]) { position += 1 }
        guard position > start, let key = bytes.text(start..<position) else { throw flaw }
        keys.append(key)
      }
      keyEnd = position
      skipSpace(bytes)
      guard take(".", bytes) else { return (keys, start) }
    }
  }

  /// Steps over a value that is no inline table, or over one in an array.
  mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(SettingsFlaw) {
    guard position < bytes.count, depth < 32 else { throw flaw }
    if quote(bytes) != nil {
      _ = try string(bytes)
    } else if take("[", bytes) {
      skipLines(bytes)
      while !take("]", bytes) {
        try value(bytes, depth: depth + 1)
        skipLines(bytes)
        guard take(",", bytes) || position < bytes.count && bytes[position] == UInt8(ascii: "]") else { throw flaw }
        skipLines(bytes)
      }
    } else if take("{", bytes) {
      skipSpace(bytes)
      guard !take("}", bytes) else { return }
      repeat {
        _ = try keys(bytes)
        try require("=", bytes)
        skipSpace(bytes)
        try value(bytes, depth: depth + 1)
        skipSpace(bytes)
      } while take(",", bytes)
      try require("}", bytes)
    } else {
      // A number, a date or a truth value.
      let start = position
      while position < bytes.count, isBare(bytes[position]) || "+.:".utf8.contains(bytes[position]) { position += 1 }
      guard position > start else { throw flaw }
    }
  }

  /// Reads a string of any of the four kinds.
  mutating func string(_ bytes: Span<UInt8>) throws(SettingsFlaw) -> String {
    guard let quote = quote(bytes) else { throw flaw }
    let isTriple = isTriple(quote, bytes)
    position += isTriple ? 3 : 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      if byte == quote, !isTriple || self.isTriple(quote, bytes) {
        position += isTriple ? 3 : 1
        // Up to two quotes may stand before the three that end it.
        while isTriple, position < bytes.count, bytes[position] == quote {
          (position, text) = (position + 1, text + [quote])
        }
        return String(decoding: text, as: UTF8.self)
      }
      guard isTriple || byte != 0x0A else { throw flaw }
      position += 1
      guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), position < bytes.count else {
        text.append(byte)
        continue
      }
      // Other escapes stand for themselves: no name or address that is sought has one.
      if bytes[position] != quote, bytes[position] != byte { text.append(byte) }
      text.append(bytes[position])
      position += 1
    }
    throw flaw
  }

  private func quote(_ bytes: Span<UInt8>) -> UInt8? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") ? byte : nil
  }

  private func isTriple(_ quote: UInt8, _ bytes: Span<UInt8>) -> Bool {
    position + 2 < bytes.count && (0...2).allSatisfy { bytes[position + $0] == quote }
  }

  private func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }
}
