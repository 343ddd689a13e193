/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5; RFC 7515,
/// section 2), read strictly: one value has one spelling.
package enum Base64URL {
  /// Why text is not base64url.
  package enum Fault: Error, Equatable, Sendable {
    /// `=` stands in it.
    case padding
    /// A character outside the alphabet: white space, `+`, `/`, or anything else.
    case character
    /// A number of characters that no number of bytes yields.
    case length
    /// The last character holds bits that belong to no byte, and they are not zero.
    case strayBits
  }

  /// Encodes bytes as text.
  package static func encode(_ bytes: Span<UInt8>) -> String { String(decoding: encodedBytes(bytes), as: UTF8.self) }

  /// Encodes bytes as ASCII, for text that must not become a `String`.
  package static func encodedBytes(_ bytes: Span<UInt8>) -> [UInt8] {
    [UInt8](capacity: (bytes.count * 4 + 2) / 3) { output in
      // Three bytes are four characters; the last one or two are followed by zeros, which are not written.
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let left = bytes.count - start
        let bits =
          UInt32(bytes[start]) << 16 | (left > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
          | (left > 2 ? UInt32(bytes[start + 2]) : 0)
        output.append(character(bits >> 18))
        output.append(character(bits >> 12 & 0x3F))
        if left > 1 { output.append(character(bits >> 6 & 0x3F)) }
        if left > 2 { output.append(character(bits & 0x3F)) }
      }
    }
  }

  /// Decodes text.
  package static func decode(_ text: String) throws(Fault) -> [UInt8] {
    let bytes = Array(text.utf8)
    return try decode(bytes.span)
  }

  /// Decodes ASCII bytes.
  package static func decode(_ text: Span<UInt8>) throws(Fault) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count * 3 / 4)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for index in text.indices {
      guard let value = value(of: text[index]) else { throw text[index] == UInt8(ascii: "=") ? .padding : .character }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= 1 << count - 1
      }
    }
    guard text.count % 4 != 1 else { throw .length }
    guard bits == 0 else { throw .strayBits }
    return output
  }

  /// Without branches: which one is taken would be guessed wrong half of the time, and tell of what is encoded.
  private static func character(_ value: UInt32) -> UInt8 {
    let value = Int32(bitPattern: value)
    // All bits are set where the value is beyond a range, none where it is not.
    let (beyondCapitals, beyondLetters) = ((25 - value) >> 8, (51 - value) >> 8)
    let (beyondDigits, beyondHyphen) = ((61 - value) >> 8, (62 - value) >> 8)
    return UInt8(
      truncatingIfNeeded: value + 65 + (beyondCapitals & 6) - (beyondLetters & 75) - (beyondDigits & 13)
        + (beyondHyphen & 49)
    )
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character - 0x41)
    case 0x61...0x7A: UInt32(character - 0x61 + 26)
    case 0x30...0x39: UInt32(character - 0x30 + 52)
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Base64 with padding (RFC 4648, section 4), read strictly: one value has one spelling.
package enum Base64 {
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text = Base64URL.encodedBytes(bytes).map { exchange($0, ("-", "+"), ("_", "/")) }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` for anything that ``encode(_:)`` does not write.
  package static func decode(_ text: String) -> [UInt8]? {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, text.utf8.count % 4 == 0 else { return nil }
    // Digits of the other alphabet become characters of neither.
    let digits = text.utf8.dropLast(padding).map { exchange($0, ("+", "-"), ("/", "_"), ("-", "*"), ("_", "*")) }
    return try? Base64URL.decode(digits.span)
  }

  private static func exchange(_ byte: UInt8, _ pairs: (from: Unicode.Scalar, to: Unicode.Scalar)...) -> UInt8 {
    pairs.first { UInt8(ascii: $0.from) == byte }.map { UInt8(ascii: $0.to) } ?? byte
  }
}
