extension HTTPURL {
  /// Resolves a reference, such as the value of `Location`, against this URL (RFC 3986, section 5.2).
  ///
  /// - Parameter reference: An absolute URL or a relative reference; its fragment is dropped.
  /// - Returns: The URL that it means, read as strictly as any other.
  /// - Throws: ``ParseError/url``, ``ParseError/refusedURL(_:)``.
  package func resolving(_ reference: String) throws(ParseError) -> HTTPURL {
    let text = String(reference.prefix { $0 != "#" })
    let start = text.prefix { !"/?".contains($0) }
    // A colon before the path is a scheme's: in a first segment it could not stand (section 4.2).
    if start.contains(":") { return try HTTPURL(text) }
    if text.isEmpty { return self }
    if text.hasPrefix("//") { return try HTTPURL("\(origin.scheme.rawValue):\(text)") }
    if text.hasPrefix("/") { return try HTTPURL("\(origin)\(text)") }
    if text.hasPrefix("?") { return try HTTPURL("\(htu)\(text)") }
    let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    return try HTTPURL("\(origin)\(folder)/\(text)")
  }
}
