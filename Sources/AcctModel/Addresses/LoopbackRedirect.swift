import Text

/// The address on this machine at which a sign-in in the browser ends (RFC 8252, section 7.3), spelled as it
/// is registered with the server.
package struct LoopbackRedirect: Hashable, Sendable {
  /// The spelling of the host, which servers compare as text.
  package enum Host: String, Sendable, CaseIterable {
    case localhost
    case ipv4 = "127.0.0.1"
    case ipv6 = "[::1]"
  }

  package let host: Host
  /// `nil` for a free one.
  package let port: Int?
  /// The rest after host and port as it was typed: empty, or a path that begins with `/`.
  package let tail: String

  package init(host: Host, port: Int?, tail: String) {
    self.host = host
    self.port = port
    self.tail = tail
  }

  /// The default address: `http://127.0.0.1:PORT/callback`.
  package static func standard(port: Int?) -> LoopbackRedirect {
    LoopbackRedirect(host: .ipv4, port: port, tail: "/callback")
  }

  /// Parses `http://localhost:PORT/path`, `127.0.0.1` or `[::1]`; port and path may be missing.
  ///
  /// - Throws: ``ParseError/redirect``.
  package init(_ text: String) throws(ParseError) {
    let scheme = "http://"
    guard text.hasPrefix(scheme), text.utf8.count <= 1024 else { throw .redirect }
    let rest = text.dropFirst(scheme.count)
    guard let host = Host.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else { throw .redirect }
    let place = rest.dropFirst(host.rawValue.count)
    let end = place.firstIndex(of: "/") ?? place.endIndex
    let (digits, tail) = (place[..<end].dropFirst(), String(place[end...]))
    guard place.isEmpty || place.first == "/" || place.first == ":" else { throw .redirect }
    var port: Int?
    if end > place.startIndex {
      guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = UInt16(digits), number > 0 else { throw .redirect }
      port = Int(number)
    }
    // Parsed as a URL, the path is the one that a browser will request, unless dots are removed from it.
    guard let url = try? HTTPURL("http://\(host.rawValue)\(tail)"), url.query == nil,
      !tail.utf8.contains(UInt8(ascii: "#")), url.path == (tail.isEmpty ? "/" : tail)
    else { throw .redirect }
    self.init(host: host, port: port, tail: tail)
  }

  /// The path that a browser requests.
  package var path: String { tail.isEmpty ? "/" : tail }

  /// The address once its port is known.
  package func text(port: Int) -> String { "http://\(host.rawValue):\(port)\(tail)" }
}
