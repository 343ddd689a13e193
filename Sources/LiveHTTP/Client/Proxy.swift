import AcctModel

/// A proxy as the environment names it: `[scheme://][user:password@]host[:port]`.
package struct Proxy: Hashable, Sendable {
  /// The protocol to it.
  package enum Kind: Sendable { case http, socks5 }

  /// For the proxy alone (RFC 7617).
  package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String
  }

  package let kind: Kind
  /// Without brackets.
  package let host: String
  package let port: UInt16
  package let credentials: Credentials?

  /// Parses what curl accepts, except what acct can't speak.
  ///
  /// That is TLS to the proxy, SOCKS 4, and SOCKS with a password. With `socks5` as with
  /// `socks5h` the proxy resolves the names.
  package init(_ text: String) throws(Unusable) {
    let mark = text.firstRange(of: "://")
    let scheme = mark.map { text[..<$0.lowerBound].lowercased() } ?? "http"
    switch scheme {
    case "http": kind = .http
    case "socks5", "socks5h": kind = .socks5
    case "https": throw Unusable(reason: "proxies over TLS (https://) are not supported")
    case "socks", "socks4", "socks4a":
      throw Unusable(reason: "only version 5 of SOCKS is supported (socks5h://)")
    default: throw Unusable(reason: "its scheme is not http or socks5h")
    }
    let rest = text[(mark?.upperBound ?? text.startIndex)...].prefix { $0 != "/" }
    let at = rest.lastIndex(of: "@")
    credentials = try at.map { at throws(Unusable) in try Credentials(rest[..<at]) }
    guard kind == .http || credentials == nil else {
      throw Unusable(reason: "SOCKS with a user name and a password is not supported")
    }
    (host, port) = try split(rest[(at.map(rest.index(after:)) ?? rest.startIndex)...])
  }

  /// Why a proxy can't be used; quotes nothing of it, since it may hold a password.
  package struct Unusable: Error, Equatable { package let reason: String }
}

extension Proxy: CustomStringConvertible {
  /// Without the credentials.
  package var description: String {
    "the proxy \(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

extension Proxy.Credentials {
  fileprivate init(_ text: Substring) throws(Proxy.Unusable) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = decoded(parts[0]), let password = parts.count > 1 ? decoded(parts[1]) : "",
      !user.contains(":")
    else { throw Proxy.Unusable(reason: "its user name or password is not percent-encoded well") }
    self.init(user: user, password: password)
  }
}

private func split(_ authority: Substring) throws(Proxy.Unusable) -> (String, UInt16) {
  let malformed = Proxy.Unusable(reason: "it is not a URL such as http://host:port")
  var host = authority
  var tail: Substring = ""
  if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
    host = authority[..<end].dropFirst()
    tail = authority[end...].dropFirst()
    guard IPAddress(host) != nil else { throw malformed }
  } else if let colon = authority.firstIndex(of: ":") {
    (host, tail) = (authority[..<colon], authority[colon...])
  }
  let plain = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "[") }
  guard !host.isEmpty, plain else { throw malformed }
  // curl's default, whatever the scheme.
  guard !tail.isEmpty else { return (String(host), 1080) }
  guard tail.hasPrefix(":"), let port = UInt16(tail.dropFirst()), port > 0 else { throw malformed }
  return (String(host), port)
}

/// Undoes percent-encoding; `nil` if that is not possible or yields a control character.
private func decoded(_ text: Substring) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.first != "+",
      let value = UInt8(digits, radix: 16)
    else { return nil }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
  return String(validating: bytes, as: UTF8.self)
}
