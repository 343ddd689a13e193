import AcctCrypto
package import AcctModel

extension LoopbackRedirect {
  /// The address that a server registers for acct, whose path no other server's client has (RFC 9700, section 4.4.2).
  ///
  /// It is not below the common path, since some servers accept what lies below a registered one.
  ///
  /// - Parameter server: The server's issuer, or the origin of its registration endpoint.
  /// - Returns: 16 characters of the digest of `server` as a folder of the common path, on a free port.
  package static func registered(at server: String) -> LoopbackRedirect {
    let digest = Base64URL.encode(SHA256.hash(Array(server.utf8).span).span)
    let standard = standard(port: nil)
    return LoopbackRedirect(host: standard.host, port: nil, tail: "/\(digest.prefix(16))\(standard.tail)")
  }
}
