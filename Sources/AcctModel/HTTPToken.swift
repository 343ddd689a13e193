extension UInt8 {
  /// Whether it is a `tchar`, a character of a `token` (RFC 9110, section 5.6.2).
  package var isHTTPTokenCharacter: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}

// For each of the two types, not for their protocol: generic code looks up by name what it iterates over.
extension Substring {
  /// Whether it is a `token` (RFC 9110, section 5.6.2), as a method and a field's name must be.
  package var isHTTPToken: Bool { !isEmpty && utf8.allSatisfy(\.isHTTPTokenCharacter) }
}

extension String {
  /// Whether it is a `token` (RFC 9110, section 5.6.2), as a method and a field's name must be.
  package var isHTTPToken: Bool { self[...].isHTTPToken }
}
