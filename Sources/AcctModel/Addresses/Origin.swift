/// The origin of a server (RFC 6454): scheme, host and port, compared exactly.
///
/// A value exists only for https anywhere and for http on loopback, so that no other transport can ever be given a
/// credential.
package struct Origin: Hashable, Sendable {
  /// The two schemes that acct speaks.
  package enum Scheme: String, Sendable {
    case http, https

    /// The port of a URL that names none.
    package var defaultPort: UInt16 { self == .https ? 443 : 80 }
  }

  package let scheme: Scheme
  /// The host, in lower case; an IPv6 address has its brackets.
  package let host: String
  package let port: UInt16

  /// Parses `https://host[:port]` with nothing behind it but an optional `/`.
  ///
  /// - Throws: ``ParseError/origin(_:)``, or ``ParseError/refusedURL(_:)`` for an origin that nothing may be sent to.
  package init(_ text: String) throws(ParseError) {
    let url: HTTPURL
    do { url = try HTTPURL(text) } catch .url { throw .origin(text) }
    // Looked for in the text itself: a path such as `/..` would be gone from the URL.
    let tail = text.utf8.dropFirst(url.origin.scheme.rawValue.utf8.count + 3).drop { $0 != .slash }
    guard tail.count <= 1, url.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else { throw .origin(text) }
    self = url.origin
  }

  /// Parses a host with an optional port, whose scheme is known from elsewhere.
  ///
  /// It is read as strictly as in a URL, and nothing but an authority can stand there: text with a path,
  /// a query or user information in it has no host.
  ///
  /// - Throws: ``ParseError/url``, ``ParseError/refusedURL(_:)``.
  package init(_ scheme: Scheme, authority: String) throws(ParseError) {
    let bytes = Array(authority.utf8)
    guard !bytes.isEmpty else { throw .url }
    guard !bytes.contains(UInt8(ascii: "@")) else { throw .refusedURL(.userInformation) }
    let (host, port) = try HTTPURL.split(bytes[...])
    try self.init(scheme: scheme, host: host, port: port ?? scheme.defaultPort)
  }

  init(scheme: Scheme, host: String, port: UInt16) throws(ParseError) {
    self.scheme = scheme
    self.host = host
    self.port = port
    guard scheme == .https || isLoopback else { throw .refusedURL(.plainHTTP) }
  }

  /// `true` if the host names this machine: `localhost`, `127.0.0.1` or `[::1]`.
  package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }
}

extension UInt8 {
  fileprivate static let slash = UInt8(ascii: "/")
}

extension Origin: CustomStringConvertible {
  /// `https://host`, with the port only where it is not the scheme's own.
  package var description: String { (scheme == .https ? "https://" : "http://") + authority }

  /// The host, and the port where it is not the scheme's own: the value of a `Host` field.
  package var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }
}
