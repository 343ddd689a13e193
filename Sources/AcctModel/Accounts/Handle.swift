/// An AT Protocol handle, in lower case, such as `alice.example.com`.
///
/// <https://atproto.com/specs/handle>: two or more labels of 1 to 63 letters, digits and inner
/// hyphens, 253 characters at most, the last label beginning with a letter.
package struct Handle: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses and lower-cases a handle.
  ///
  /// - Throws: ``ParseError/handle(_:)``.
  package init(_ text: String) throws(ParseError) {
    let bytes = text.utf8Span.span
    guard bytes.count <= 253 else { throw .handle(text) }
    var start = 0
    var isUpper = false
    while let dot = Self.endOfLabel(in: bytes, from: start, &isUpper), dot < bytes.count { start = dot + 1 }
    guard start > 0, Self.endOfLabel(in: bytes, from: start, &isUpper) != nil, bytes[start].isASCIILetter
    else { throw .handle(text) }
    description = isUpper ? text.lowercased() : text
  }

  /// Where a label ends that begins at `start`, or `nil` if none does.
  private static func endOfLabel(in bytes: Span<UInt8>, from start: Int, _ isUpper: inout Bool) -> Int? {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: ".") {
      let byte = bytes[end]
      guard byte.isASCIILetter || byte.isASCIIDigit || byte == .hyphen else { return nil }
      isUpper = isUpper || (0x41...0x5A).contains(byte)
      end += 1
    }
    guard (1...63).contains(end - start), bytes[start] != .hyphen, bytes[end - 1] != .hyphen else { return nil }
    return end
  }

  /// Whether the public DNS can know this handle; the others are reserved top-level names.
  ///
  /// `.test` counts as resolvable here: it is resolved where the user configures a resolver.
  package var isResolvable: Bool {
    let reserved = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"]
    return !reserved.contains { description.hasSuffix(".\($0)") }
  }
}

extension UInt8 {
  static let hyphen = UInt8(ascii: "-")
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
