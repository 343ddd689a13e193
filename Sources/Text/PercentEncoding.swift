/// Text in which `%` and two hexadecimal digits stand for each byte that is not plain (RFC 3986, section 2.1).
///
/// - Parameters:
///   - text: Text that is no secret.
///   - isPlain: Returns `true` for a byte that means itself.
/// - Returns: The text.
package func percentEncoded(_ text: String, isPlain: (UInt8) -> Bool = \.isUnreserved) -> String {
  var encoded: [UInt8] = []
  encoded.reserveCapacity(text.utf8.count)
  for byte in text.utf8 { if isPlain(byte) { encoded.append(byte) } else { encoded.append(percentEncoding: byte) } }
  return String(decoding: encoded, as: UTF8.self)
}

/// The bytes that percent-encoded text stands for; a `%` without two hexadecimal digits behind it stands for itself.
///
/// - Returns: The bytes, in an array that was never a shorter one; whether there is no such `%`.
package func percentDecoded(_ text: Span<UInt8>) -> (bytes: [UInt8], isWellFormed: Bool) {
  var (bytes, isWellFormed): ([UInt8], Bool) = ([], true)
  bytes.reserveCapacity(text.count)
  var index = 0
  while index < text.count {
    if let byte = text.percentEscape(at: index) {
      bytes.append(byte)
      index += 3
    } else {
      if text[index] == UInt8(ascii: "%") { isWellFormed = false }
      bytes.append(text[index])
      index += 1
    }
  }
  return (bytes, isWellFormed)
}

/// The bytes that percent-encoded text stands for; `nil` if two hexadecimal digits do not follow each `%`.
package func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
  let text = Array(text)
  let (bytes, isWellFormed) = percentDecoded(text.span)
  return isWellFormed ? bytes : nil
}

extension [UInt8] {
  /// Appends `%` and the two hexadecimal digits of a byte, in capitals.
  package mutating func append(percentEncoding byte: UInt8) {
    append(UInt8(ascii: "%"))
    append((byte >> 4).digit(ten: UInt8(ascii: "A")))
    append((byte & 15).digit(ten: UInt8(ascii: "A")))
  }
}

extension Span<UInt8> {
  /// The byte that `%` and two hexadecimal digits at an index stand for; `nil` for anything else.
  package func percentEscape(at index: Int) -> UInt8? {
    self[index] == UInt8(ascii: "%") ? byte(spelledAt: index + 1) : nil
  }
}
