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

  /// Whether an origin ends with a port, which an IPv6 address in brackets does not.
  private static func hasPort(_ origin: Substring) -> Bool {
    let text = origin.hasSuffix("/") ? origin.dropLast() : origin
    let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && text.dropLast(digits.count).hasSuffix(":")
  }
}
