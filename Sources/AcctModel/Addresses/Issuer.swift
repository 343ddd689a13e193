/// An authorization server's issuer identifier (RFC 8414, section 2).
///
/// Compared as text, character by character, as RFC 9207 asks; a value exists only for https,
/// or for http on loopback, without query and fragment.
package struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The identifier exactly as the server writes it.
  package let description: String
  /// The identifier as a URL, from which the address of its metadata is derived.
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

/// A resource server that a token is for, as requests name it to an authorization server (RFC 8707, section 2).
///
/// Servers compare it as text, so it is kept and sent exactly as it was typed; a value exists only for
/// an https URL, or for http on loopback, without a fragment.
package struct ResourceIndicator: Hashable, Sendable, CustomStringConvertible {
  /// The identifier exactly as it was typed.
  package let description: String
  /// The origin of the resource server.
  package let origin: Origin

  /// Parses a resource indicator.
  ///
  /// - Throws: ``ParseError/resource``, or ``ParseError/refusedURL(_:)``.
  package init(_ text: String) throws(ParseError) {
    do { origin = try HTTPURL(text).origin } catch .url { throw .resource }
    guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .resource }
    description = text
  }
}
