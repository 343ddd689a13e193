import Text

extension UInt8 {
  /// `true` if it is a `tchar`, a character of a `token` (RFC 9110, section 5.6.2).
  package var isHTTPTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: isASCIIAlphanumeric
    }
  }
}

// For each of the two types, not for their protocol: generic code looks up by name what it iterates over.
extension Substring {
  /// `true` if it is a `token` (RFC 9110, section 5.6.2), as a method and a field's name must be.
  package var isHTTPToken: Bool { !isEmpty && utf8.allSatisfy(\.isHTTPTokenCharacter) }
}

extension String {
  /// `true` if it is a `token` (RFC 9110, section 5.6.2), as a method and a field's name must be.
  package var isHTTPToken: Bool { self[...].isHTTPToken }
}

extension String {
  /// Returns `true` if two texts name the same header field, ignoring case (RFC 9110, section 5.1).
  ///
  /// It copies neither, unlike a comparison of what `lowercased()` returns.
  package func isSameField(as other: String) -> Bool {
    let (bytes, others) = (utf8Span.span, other.utf8Span.span)
    guard bytes.count == others.count else { return false }
    for index in bytes.indices {
      let (byte, other) = (bytes[index], others[index])
      guard byte == other || byte.inLowerCase == other.inLowerCase else { return false }
    }
    return true
  }

  /// Returns `true` if it names the same header field as one of `names`.
  package func isField(among names: [String]) -> Bool {
    for name in names where isSameField(as: name) { return true }
    return false
  }
}

extension UInt8 {
  /// The byte, or the small letter in place of a capital one of ASCII.
  fileprivate var inLowerCase: UInt8 { isASCIICapital ? self | 0x20 : self }
}
