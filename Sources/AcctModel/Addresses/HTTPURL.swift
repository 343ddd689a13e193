import Text

/// An absolute http or https URL (RFC 3986) that a credential could be sent to.
///
/// Parsing is stricter than a browser's: forms that clients are known to read in different ways (user information,
/// backslashes, encoded or non-ASCII hosts) are refused rather than interpreted, so that acct, curl and the server
/// mean the same place.
package struct HTTPURL: Hashable, Sendable {
  /// Scheme, host and port.
  package let origin: Origin
  /// The path with dot segments removed, as clients send it; at least `/`.
  package let path: String
  /// The query without its `?`, if there is one.
  package let query: String?

  /// Parses a URL; a fragment is dropped, since it is never sent.
  ///
  /// - Throws: ``ParseError/url``, or ``ParseError/refusedURL(_:)`` for a URL that is well-formed
  ///   and not safe for a credential.
  package init(_ text: String) throws(ParseError) {
    // Bytes, not characters: a list of many accounts parses many of these.
    let bytes = Array(text.utf8)
    guard let mark = bytes.firstIndex(of: .colon),
      let scheme = Origin.Scheme(rawValue: String(ascii: bytes[..<mark]).lowercased()),
      bytes[mark...].starts(with: "://".utf8)
    else { throw .url }
    let rest = bytes[(mark + 3)...]
    let end = rest.firstIndex { $0 == .slash || $0 == .question || $0 == .hash } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.isEmpty else { throw .url }
    guard !authority.contains(UInt8(ascii: "@")) else { throw .refusedURL(.userInformation) }

    let (host, port) = try HTTPURL.split(authority)
    let target = try HTTPURL.split(target: rest[end...])
    origin = try Origin(scheme: scheme, host: host, port: port ?? scheme.defaultPort)
    (path, query) = target
  }

  /// Parses what stands behind an origin: a path and a query; a fragment is dropped.
  ///
  /// - Throws: ``ParseError/url``.
  package init(_ origin: Origin, target: Substring) throws(ParseError) {
    let bytes = Array(target.utf8)
    // Anything else would go on with the origin's host or port.
    guard bytes.first == nil || bytes.first == .slash || bytes.first == .question || bytes.first == .hash else {
      throw .url
    }
    self.origin = origin
    (path, query) = try HTTPURL.split(target: bytes[...])
  }

  /// Splits what stands behind an authority into its path, as clients send it, and its query.
  private static func split(target: ArraySlice<UInt8>) throws(ParseError) -> (path: String, query: String?) {
    let target = target.prefix { $0 != .hash }
    guard target.allSatisfy(\.mayStandInTarget) else { throw .url }
    let pathEnd = target.firstIndex(of: .question) ?? target.endIndex
    return (
      removingDotSegments(String(ascii: target[..<pathEnd])),
      pathEnd < target.endIndex ? String(ascii: target[(pathEnd + 1)...]) : nil
    )
  }

  /// The root of an origin.
  package init(_ origin: Origin) {
    self.origin = origin
    path = "/"
    query = nil
  }

  /// A path of an origin, as text that no client has encoded for a URL yet.
  package init(_ origin: Origin, path: String) {
    let encoded = percentEncoded(path) { $0.mayStandInTarget && $0 != .question && $0 != .hash }
    self.origin = origin
    self.path = removingDotSegments(path.utf8.first == .slash ? encoded : "/\(encoded)")
    query = nil
  }

  /// Splits an authority into its host and its port.
  static func split(_ authority: ArraySlice<UInt8>) throws(ParseError) -> (host: String, port: UInt16?) {
    let isAddress = authority.first == UInt8(ascii: "[")
    let hostEnd =
      isAddress
      ? authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
      : authority.firstIndex(of: .colon) ?? authority.endIndex
    guard let hostEnd else { throw .url }
    let host = authority[..<hostEnd]
    guard !host.isEmpty else { throw .url }
    let usable =
      isAddress
      ? host.dropFirst().dropLast().allSatisfy(\.mayStandInAddress)
      : host.allSatisfy { $0.isASCIIAlphanumeric || $0.isDotHyphenOrUnderscore }
    guard usable else { throw .refusedURL(.unusableHost) }

    let name = String(ascii: host).lowercased()
    let tail = authority[hostEnd...]
    guard let colon = tail.first else { return (name, nil) }
    let digits = tail.dropFirst()
    guard colon == .colon, digits.allSatisfy(\.isASCIIDigit) else { throw .url }
    if digits.isEmpty { return (name, nil) }
    guard let port = UInt16(String(ascii: digits)), port > 0 else { throw .url }
    return (name, port)
  }

  /// The `htu` of a DPoP proof (RFC 9449, section 4.2): neither query nor fragment, the default
  /// port dropped, the host in lower case.
  package var htu: String { "\(origin)\(path)" }
}

extension HTTPURL: CustomStringConvertible {
  package var description: String { query.map { "\(htu)?\($0)" } ?? htu }
}

/// Removes `.` and `..` segments (RFC 3986, section 5.2.4), as clients do before they send.
private func removingDotSegments(_ path: String) -> String {
  guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == .percent }) else {
    return path.isEmpty ? "/" : path
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
  // To join them, the run-time would search every conformance in the binary.
  return kept.isEmpty ? "/" : kept.reduce(into: "") { path, segment in path += "/\(segment)" }
}

extension String {
  /// The text of bytes that are ASCII, or that the caller checks to be ASCII afterwards.
  fileprivate init(ascii bytes: ArraySlice<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let question = UInt8(ascii: "?")
  fileprivate static let hash = UInt8(ascii: "#")

  /// Visible ASCII without the characters that RFC 3986 does not allow.
  fileprivate var mayStandInTarget: Bool {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: isVisibleASCII
    }
  }

  /// A hexadecimal digit, a colon or a dot.
  fileprivate var mayStandInAddress: Bool {
    hexadecimalValue != nil || self == .colon || self == UInt8(ascii: ".")
  }

  fileprivate var isDotHyphenOrUnderscore: Bool {
    self == UInt8(ascii: ".") || self == .hyphen || self == UInt8(ascii: "_")
  }
}

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
