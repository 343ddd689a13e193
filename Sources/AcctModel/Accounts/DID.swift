/// A decentralized identifier, such as `did:plc:…` or `did:web:host`.
///
/// The generic syntax of <https://atproto.com/specs/did>: at most 2048 characters, a lower-case
/// method, and an identifier that does not end in `:` or `%`. Which methods can be resolved is
/// decided where they are.
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
    guard !method.isEmpty, method.allSatisfy({ (0x61...0x7A).contains($0) }), let last = identifier.last,
      last != .colon, last != .percent, identifier.allSatisfy(Self.isIdentifierByte)
    else { throw .did(text) }
    description = text
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte == .colon || byte == .percent
      || byte == .hyphen || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
  }

  /// The method, `plc` or `web` for those that AT Protocol knows.
  package var method: Substring { description.dropFirst(4).prefix { $0 != ":" } }

  /// What stands after the method.
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
