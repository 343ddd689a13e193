/// An absolute http or https URL (RFC 3986) that a credential could be sent to.
///
/// Parsing is stricter than a browser's: what clients are known to read in different ways (user
/// information, backslashes, encoded or non-ASCII hosts) is refused rather than interpreted, so
/// that acct, curl and the server mean the same place.
package struct HTTPURL: Hashable, Sendable {
  /// Scheme, host and port.
  package let origin: Origin
  /// The path with dot segments removed, as clients send it; at least `/`.
  package let path: String
  /// The query without its `?`, if there is one.
  package let query: String?

  /// Parses a URL; a fragment is dropped, since it is never sent.
  ///
  /// - Throws: ``Malformed/url``, or ``Malformed/refusedURL(_:)`` for a URL that is well-formed
  ///   and must not be given a credential.
  package init(_ text: String) throws(Malformed) {
    guard let mark = text.utf8.firstIndex(of: .colon),
      let scheme = Origin.Scheme(rawValue: text[..<mark].lowercased()),
      text[mark...].hasPrefix("://")
    else { throw .url }
    let rest = text[mark...].dropFirst(3)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.isEmpty else { throw .url }
    guard !authority.contains("@") else { throw .refusedURL(.userInformation) }

    let (host, port) = try HTTPURL.split(authority)
    let target = rest[end...].prefix { $0 != "#" }
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
    else { throw .url }
    let pathEnd = target.firstIndex(of: "?") ?? target.endIndex

    origin = try Origin(scheme: scheme, host: host, port: port ?? scheme.defaultPort)
    path = removingDotSegments(target[..<pathEnd])
    query = pathEnd < target.endIndex ? String(target[pathEnd...].dropFirst()) : nil
  }

  private static func split(
    _ authority: Substring
  ) throws(Malformed) -> (host: String, port: UInt16?) {
    let isAddress = authority.hasPrefix("[")
    let hostEnd =
      isAddress
      ? authority.firstIndex(of: "]").map(authority.index(after:))
      : authority.firstIndex(of: ":") ?? authority.endIndex
    guard let hostEnd else { throw .url }
    let host = authority[..<hostEnd]
    guard !host.isEmpty else { throw .url }
    let usable =
      isAddress
      ? host.dropFirst().dropLast().utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
      : host.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
    guard usable else { throw .refusedURL(.unusableHost) }

    let tail = authority[hostEnd...]
    if tail.isEmpty || tail == ":" { return (host.lowercased(), nil) }
    guard tail.hasPrefix(":"), tail.dropFirst().utf8.allSatisfy(\.isASCIIDigit),
      let port = UInt16(tail.dropFirst()), port > 0
    else { throw .url }
    return (host.lowercased(), port)
  }

  /// The `htu` of a DPoP proof (RFC 9449, section 4.2): neither query nor fragment, the default
  /// port dropped, the host in lower case.
  package var htu: String { "\(origin)\(path)" }
}

extension HTTPURL: CustomStringConvertible {
  package var description: String { query.map { "\(htu)?\($0)" } ?? htu }
}

/// Removes `.` and `..` segments (RFC 3986, section 5.2.4), as clients do before they send.
private func removingDotSegments(_ path: Substring) -> String {
  guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == .percent }) else {
    return path.isEmpty ? "/" : String(path)
  }
  var kept: [Substring] = []
  let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  for (index, segment) in segments.enumerated() {
    let isLast = index == segments.count - 1
    switch segment.lowercased() {
    case ".", "%2e": if isLast { kept.append("") }
    case "..", ".%2e", "%2e.", "%2e%2e":
      _ = kept.popLast()
      if isLast { kept.append("") }
    default: kept.append(segment)
    }
  }
  return "/" + kept.joined(separator: "/")
}
