/// Classes of bytes of ASCII text; a byte of another character is in none.
///
/// Inlinable: nearly every command parses URLs and identifiers byte by byte.
extension UInt8 {
  /// `true` for `0` to `9`.
  @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// `true` for `A` to `Z`.
  @inlinable package var isASCIICapital: Bool { (0x41...0x5A).contains(self) }

  /// `true` for `a` to `z`.
  @inlinable package var isASCIISmallLetter: Bool { (0x61...0x7A).contains(self) }

  /// `true` for a letter in either case.
  @inlinable package var isASCIILetter: Bool { isASCIICapital || isASCIISmallLetter }

  /// `true` for a letter or a digit.
  @inlinable package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

  /// `true` for a character that can be seen: no control character, and no space.
  @inlinable package var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }

  /// `true` for a character that means itself anywhere in a URL (RFC 3986, section 2.3).
  @inlinable package var isUnreserved: Bool {
    isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
      || self == UInt8(ascii: "~")
  }
}

extension StringProtocol {
  /// `true` for the name of an environment variable that shells can use (POSIX, Base Definitions, section 3.216).
  package var isVariableName: Bool {
    let isStart = { (byte: UInt8) in byte == UInt8(ascii: "_") || byte.isASCIILetter }
    guard let first = utf8.first, isStart(first) else { return false }
    return utf8.allSatisfy { isStart($0) || $0.isASCIIDigit }
  }
}
