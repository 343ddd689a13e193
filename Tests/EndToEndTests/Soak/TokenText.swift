import StrictJSON

/// What a test server's token says of itself.
struct TokenText {
  let subject: String
  /// When it is past, in seconds since 1970.
  let end: Int64

  /// Reads the first JWT in some text; `nil` if there is none.
  init?(in text: String) {
    guard let start = text.firstRange(of: "eyJ") else { return nil }
    let parts = text[start.lowerBound...].split(separator: ".", maxSplits: 2)
    guard parts.count == 3, let bytes = Self.decoded(parts[1]), let claims = try? JSON(parsing: bytes).objectValue,
      let subject = claims["sub"]?.stringValue, let end = claims["exp"]?.numberValue?.integer
    else { return nil }
    self.subject = subject
    self.end = end
  }

  private static func decoded(_ text: Substring) -> [UInt8]? {
    var bits: UInt32 = 0
    var count: UInt32 = 0
    var bytes: [UInt8] = []
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
