/// Which fields a proxy passes on.
package enum ProxyFields {
  /// Fields that are about one connection (RFC 9110, section 7.6.1), and those that are written
  /// anew for the next one.
  private static let hopByHop: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// The fields of a request that go to the server.
  ///
  /// - Parameters:
  ///   - fields: As the client sent them.
  ///   - replaced: Names that the account's own fields take the place of.
  /// - Returns: What is left; `Host`, `Content-Length` and `Expect` are the transport's to write.
  package static func upstream(
    _ fields: [(name: String, value: String)],
    replacing replaced: [String]
  ) -> [(name: String, value: String)] {
    let own: Set<String> = ["host", "content-length", "expect", "authorization", "dpop"]
    return passed(fields, without: own.union(replaced.map { $0.lowercased() }))
  }

  /// The fields of a response that go to the client.
  ///
  /// - Parameters:
  ///   - fields: As the server sent them.
  ///   - keepsSession: Whether the cookie `sid` is the account's own sealed session: one that the
  ///     server rotates is stored, and not sent to a client.
  /// - Returns: What is left.
  package static func downstream(
    _ fields: [(name: String, value: String)],
    keepsSession: Bool = false
  ) -> [(name: String, value: String)] {
    passed(fields, without: []).filter { name, value in
      !keepsSession || name.lowercased() != "set-cookie" || !value.setsSession
    }
  }

  private static func passed(
    _ fields: [(name: String, value: String)],
    without others: Set<String>
  ) -> [(name: String, value: String)] {
    let named = fields.values(of: "connection").flatMap { value in
      value.split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
    }
    let dropped = hopByHop.union(named).union(others)
    return fields.filter { !dropped.contains($0.name.lowercased()) }
  }
}

extension String {
  /// Whether this value of a `Set-Cookie` is for the cookie `sid`.
  fileprivate var setsSession: Bool { drop { $0 == " " || $0 == "\t" }.hasPrefix("sid=") }
}
