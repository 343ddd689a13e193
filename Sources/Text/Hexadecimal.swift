/// Bytes as lower-case hexadecimal digits, for bytes that are no secret.
@inlinable
package func hex(_ bytes: some Sequence<UInt8>) -> String {
  var digits: [UInt8] = []
  for byte in bytes { digits.append(hexadecimal: byte) }
  return String(decoding: digits, as: UTF8.self)
}

extension [UInt8] {
  /// The bytes that `text` spells in lower-case hexadecimal digits; `nil` if they are not exactly `count`.
  package init?(hex text: String, count: Int) {
    self = []
    guard text.utf8.count == 2 * count, append(spelledBy: text.utf8Span.span) else { return nil }
  }

  /// Appends the two hexadecimal digits of a byte, in lower case.
  @usableFromInline package mutating func append(hexadecimal byte: UInt8) {
    append((byte >> 4).digit(ten: UInt8(ascii: "a")))
    append((byte & 15).digit(ten: UInt8(ascii: "a")))
  }

  /// Appends the bytes that lower-case hexadecimal digits spell.
  ///
  /// - Returns: `false` for anything else, of which it has appended what comes before the flaw.
  package mutating func append(spelledBy digits: Span<UInt8>) -> Bool {
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = digits.byte(spelledAt: index), !digits[index].isASCIICapital, !digits[index + 1].isASCIICapital
      else { return false }
      append(byte)
    }
    return true
  }
}

extension Span<UInt8> {
  /// The byte that two hexadecimal digits spell, in either case; `nil` if there are none at this index.
  package func byte(spelledAt index: Int) -> UInt8? {
    guard index + 1 < count, let high = self[index].hexadecimalValue, let low = self[index + 1].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit, in either case; `nil` for any other character.
  @inlinable package var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }

  /// The hexadecimal digit of a number below 16.
  ///
  /// - Parameter letter: The digit of ten, `a` or `A`.
  /// - Returns: The digit.
  func digit(ten letter: UInt8) -> UInt8 { self < 10 ? self + UInt8(ascii: "0") : self - 10 + letter }
}
