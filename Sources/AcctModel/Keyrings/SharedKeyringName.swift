import Text

/// The name of a keyring on an engine, as in `/acct/NAME/`.
package enum SharedKeyringName {
  /// Accepts 1 to 64 letters, digits, `-` and `_` of ASCII, so that no name is a part of another's keys.
  ///
  /// - Throws: ``KeyringSettingsFlaw/name``.
  package static func check(_ name: String) throws(KeyringSettingsFlaw) {
    let isUsable = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    guard isUsable, (1...64).contains(name.utf8.count) else { throw .name }
  }
}

/// Why the settings of a shared keyring can't be used.
///
/// It repeats no part of the input, which may be a password.
package enum KeyringSettingsFlaw: Error, Equatable, Sendable {
  /// The keyring's name.
  case name
  /// A member of etcd is not `https://HOST:PORT`.
  case endpoint
  /// A connection string or URI of PostgreSQL can't be parsed.
  case connection
  /// It names no host.
  case noHost
  /// It has a word that would take settings from elsewhere, such as `service`.
  case indirect(keyword: String)
  /// It holds a password.
  case password
  /// Its `sslmode`, one of libpq's, accepts a server whose certificate or name is not verified.
  case unverified(mode: String)
}

/// The members of a cluster of etcd, as they are given in one text.
package enum EtcdEndpoints {
  /// Parses `https://HOST:PORT[,…]`; a member that is named twice counts once.
  ///
  /// The port is always written: etcd's own is 2379, and that of https another one.
  ///
  /// - Throws: ``KeyringSettingsFlaw/endpoint``.
  package static func parse(_ text: String) throws(KeyringSettingsFlaw) -> [String] {
    var endpoints: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let origin = try? Origin(String(part)), origin.scheme == .https, origin.port != 0, hasPort(part)
      else { throw .endpoint }
      let endpoint = "https://\(origin.host):\(origin.port)"
      if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    }
    return endpoints
  }

  /// Returns `true` if an origin ends with a port; the colons of a bracketed IPv6 address don't count.
  private static func hasPort(_ origin: Substring) -> Bool {
    let text = origin.hasSuffix("/") ? origin.dropLast() : origin
    let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && text.dropLast(digits.count).hasSuffix(":")
  }
}
