/// An AT Protocol handle, in lower case, such as `alice.example.com`.
///
/// <https://atproto.com/specs/handle>: two or more labels of 1 to 63 letters, digits and inner
/// hyphens, 253 characters at most, the last label beginning with a letter.
package struct Handle: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses and lower-cases a handle.
  ///
  /// - Throws: ``Malformed/handle(_:)``.
  package init(_ text: String) throws(Malformed) {
    let bytes = Array(text.utf8)
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard bytes.count <= 253, labels.count >= 2, labels.allSatisfy(Self.isLabel),
      let first = labels.last?.first, first.isASCIILetter
    else { throw .handle(text) }
    description = text.lowercased()
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    guard (1...63).contains(label.count), label.first != .hyphen, label.last != .hyphen else {
      return false
    }
    return label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == .hyphen }
  }

  /// Whether the public DNS can know this handle; the others are reserved top-level names.
  ///
  /// `.test` counts as resolvable here: it is resolved where the user configures a resolver.
  package var isResolvable: Bool {
    let reserved = [
      "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion",
    ]
    return !reserved.contains { description.hasSuffix(".\($0)") }
  }
}

extension UInt8 {
  static let hyphen = UInt8(ascii: "-")
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
