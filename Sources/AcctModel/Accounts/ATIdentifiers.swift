import Text

/// A decentralized identifier, such as `did:plc:…` or `did:web:host`.
///
/// The generic syntax of <https://atproto.com/specs/did>: at most 2048 characters, a lower-case method, and an
/// identifier that does not end in `:` or `%`. The resolver decides which methods it supports.
package struct DID: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses a DID; nothing in it changes.
  ///
  /// - Throws: ``ParseError/did(_:)``.
  package init(_ text: String) throws(ParseError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 2048, bytes.starts(with: "did:".utf8), let end = bytes[4...].firstIndex(of: .colon)
    else { throw .did(text) }
    let method = bytes[4..<end]
    let identifier = bytes[(end + 1)...]
    guard !method.isEmpty, method.allSatisfy(\.isASCIISmallLetter), let last = identifier.last,
      last != .colon, last != .percent, identifier.allSatisfy(Self.isIdentifierByte)
    else { throw .did(text) }
    description = text
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == .colon || byte == .percent
      || byte == .hyphen || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
  }

  /// The method, `plc` or `web` for those that AT Protocol knows.
  package var method: Substring { description.dropFirst(4).prefix { $0 != ":" } }

  /// The method-specific identifier: the text after the method's colon.
  package var identifier: Substring { description.dropFirst(4 + method.utf8.count + 1) }

  /// The host of a `did:web` without a path, as an origin: https, and http for `localhost` alone.
  package var webOrigin: Origin? {
    guard method == "web", !identifier.contains(":") else { return nil }
    let host = identifier.replacingPercentEncodedColon
    let scheme = host == "localhost" || host.hasPrefix("localhost:") ? "http" : "https"
    return try? Origin("\(scheme)://\(host)")
  }
}

extension Substring {
  /// `did:web` writes the port as `host%3A8080`; no other escape has a place in a host.
  fileprivate var replacingPercentEncodedColon: String {
    var text = String(self)
    for escape in ["%3A", "%3a"] {
      if let range = text.firstRange(of: escape) { text.replaceSubrange(range, with: ":") }
    }
    return text
  }
}

extension UInt8 {
  static let colon = UInt8(ascii: ":")
  static let percent = UInt8(ascii: "%")
}

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

  /// Finds the end of the label that begins at `start`; `nil` if no valid label begins there.
  private static func endOfLabel(in bytes: Span<UInt8>, from start: Int, _ isUpper: inout Bool) -> Int? {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: ".") {
      let byte = bytes[end]
      guard byte.isASCIIAlphanumeric || byte == .hyphen else { return nil }
      isUpper = isUpper || byte.isASCIICapital
      end += 1
    }
    guard (1...63).contains(end - start), bytes[start] != .hyphen, bytes[end - 1] != .hyphen else { return nil }
    return end
  }

  /// `true` if the public DNS can hold this handle: its top-level name is not reserved.
  ///
  /// `.test` counts as resolvable here: it is resolved where the user configures a resolver.
  package var isResolvable: Bool {
    let reserved = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"]
    return !reserved.contains { description.hasSuffix(".\($0)") }
  }
}

extension UInt8 {
  static let hyphen = UInt8(ascii: "-")
}
