/// A place of an account: an origin, or the part of it below a path.
///
/// The path decides which of several accounts a request is for, and protects nothing: a credential may be sent to
/// the whole origin.
package struct Place: Hashable, Sendable {
  package let origin: Origin
  /// The path without a slash at its end; empty for the whole origin.
  package let path: String

  package init(_ origin: Origin) { self.init(origin, path: "") }

  package init(_ origin: Origin, path: String) {
    self.origin = origin
    self.path = path.trimmingSlashes
  }

  /// Parses `https://host[:port]`, with or without a path.
  ///
  /// - Throws: ``ParseError/origin(_:)``, or ``ParseError/refusedURL(_:)`` for one that nothing may be sent to.
  package init(_ text: String) throws(ParseError) {
    let url: HTTPURL
    do { url = try HTTPURL(text) } catch .url { throw .origin(text) }
    guard url.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else { throw .origin(text) }
    self.init(url.origin, path: url.path)
  }

  /// The host and the port where it is not the scheme's own, and the path.
  package var name: String { origin.authority + path }

  /// Returns `true` if a URL's path is this one, or below it; names of folders count as a whole.
  package func holds(_ path: String) -> Bool {
    guard path.utf8.starts(with: self.path.utf8) else { return false }
    let rest = path.utf8.dropFirst(self.path.utf8.count)
    return rest.first.map { $0 == UInt8(ascii: "/") } ?? true
  }
}

extension Place: CustomStringConvertible {
  /// The origin and the path.
  package var description: String { "\(origin)\(path)" }
}

extension String {
  fileprivate var trimmingSlashes: String {
    var path = self[...]
    while path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    return String(path)
  }
}
