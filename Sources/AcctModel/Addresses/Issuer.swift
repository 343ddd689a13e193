/// An authorization server's issuer identifier (RFC 8414, section 2).
///
/// Compared as text, character by character, as RFC 9207 asks; a value exists only for https,
/// or for http on loopback, without query and fragment.
package struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The identifier exactly as the server writes it.
  package let description: String
  /// Where its metadata is found.
  package let url: HTTPURL

  /// Parses an issuer identifier.
  ///
  /// - Throws: ``ParseError/issuer(_:)``, or ``ParseError/refusedURL(_:)``.
  package init(_ text: String) throws(ParseError) {
    do { url = try HTTPURL(text) } catch .url { throw .issuer(text) }
    guard url.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else { throw .issuer(text) }
    description = text
  }

  package static func == (left: Issuer, right: Issuer) -> Bool { left.description == right.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
