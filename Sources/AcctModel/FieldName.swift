extension String {
  /// Whether two texts name the same header field: the case of letters does not count (RFC 9110, section 5.1).
  ///
  /// No copy is made of either, unlike for a comparison of what `lowercased()` returns.
  package func isSameField(as other: String) -> Bool {
    let (bytes, others) = (utf8Span.span, other.utf8Span.span)
    guard bytes.count == others.count else { return false }
    return bytes.indices.allSatisfy { index in
      bytes[index] == others[index] || bytes[index].inLowerCase == others[index].inLowerCase
    }
  }

  /// Whether it is the same header field's name as one of several.
  package func isField(among names: [String]) -> Bool { names.contains(where: isSameField) }
}

extension UInt8 {
  /// The byte, or the small letter in place of a capital one of ASCII.
  fileprivate var inLowerCase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
