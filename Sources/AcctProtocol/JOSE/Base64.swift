/// Base64 with padding (RFC 4648, section 4), read strictly: one value has one spelling.
enum Base64 {
  static func encode(_ bytes: Span<UInt8>) -> String {
    var text = Base64URL.encodedBytes(bytes).map { exchange($0, ("-", "+"), ("_", "/")) }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` for anything that ``encode(_:)`` does not write.
  static func decode(_ text: String) -> [UInt8]? {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, text.utf8.count % 4 == 0 else { return nil }
    // What belongs to the other alphabet becomes what belongs to neither.
    let digits = text.utf8.dropLast(padding).map { exchange($0, ("+", "-"), ("/", "_"), ("-", "*"), ("_", "*")) }
    return try? Base64URL.decode(digits.span)
  }

  private static func exchange(_ byte: UInt8, _ pairs: (from: Unicode.Scalar, to: Unicode.Scalar)...) -> UInt8 {
    pairs.first { UInt8(ascii: $0.from) == byte }.map { UInt8(ascii: $0.to) } ?? byte
  }
}
