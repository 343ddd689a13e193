package import AcctModel

/// Where a backend of an app is: its origin, and the path below which its calls are.
package struct BackendURL: Equatable, Sendable {
  private let base: HTTPURL

  /// Parses what the user named.
  ///
  /// - Parameter text: `https://host`, with a path if the backend has one.
  /// - Throws: ``ParseError`` for a text that is not a server's URL, or has a query.
  package init(_ text: String) throws(ParseError) {
    let url = try HTTPURL(text)
    guard url.query == nil, !text.contains("#") else { throw .url }
    base = url
  }

  package var origin: Origin { base.origin }

  /// The address of a call.
  ///
  /// - Parameter path: Such as `/api/auth/start`.
  /// - Returns: The address below this one.
  /// - Throws: ``ParseError`` if `path` is no path.
  package func url(_ path: String) throws(ParseError) -> HTTPURL {
    let prefix = base.path.hasSuffix("/") ? base.path.dropLast() : base.path[...]
    return try HTTPURL("\(base.origin)\(prefix)\(path)")
  }
}
