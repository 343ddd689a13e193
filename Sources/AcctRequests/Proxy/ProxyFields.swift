import AcctModel
import AcctProtocol

/// The fields that a proxy passes on.
package enum ProxyFields {
  /// Fields that are about one connection (RFC 9110, section 7.6.1), and those that are written
  /// anew for the next one.
  private static let hopByHop = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// The fields of a request that go to the server.
  ///
  /// - Parameters:
  ///   - fields: As the client sent them.
  ///   - replaced: Names that the account's own fields take the place of.
  /// - Returns: The remaining fields; `Host`, `Content-Length` and `Expect` are the transport's to write.
  package static func upstream(
    _ fields: [(name: String, value: String)],
    replacing replaced: [String]
  ) -> [(name: String, value: String)] { passed(fields, without: anew + replaced) }

  /// Fields of a request that are never a client's to say.
  private static let anew = ["host", "content-length", "expect", "authorization", "dpop"]

  /// The fields of a response that go to the client.
  ///
  /// - Parameters:
  ///   - fields: As the server sent them.
  ///   - keepsSession: `true` if the cookie `sid` is the account's own sealed session: one that the server rotates is
  ///     stored, and not sent to a client.
  /// - Returns: The remaining fields.
  package static func downstream(
    _ fields: [(name: String, value: String)],
    keepsSession: Bool = false
  ) -> [(name: String, value: String)] {
    let passed = passed(fields, without: [])
    guard keepsSession else { return passed }
    return passed.filter { !$0.name.isSameField(as: "set-cookie") || !$0.value.setsSession }
  }

  private static func passed(
    _ fields: [(name: String, value: String)],
    without others: [String]
  ) -> [(name: String, value: String)] {
    let named = fields.values(of: "connection").flatMap { value in
      value.utf8.split { ",\t ".utf8.contains($0) }.map { String(Substring($0)) }
    }
    return fields.filter { field in
      !field.name.isField(among: hopByHop) && !field.name.isField(among: others) && !field.name.isField(among: named)
    }
  }
}

extension String {
  /// `true` for a value of `Set-Cookie` that sets the cookie `sid`.
  fileprivate var setsSession: Bool { drop { $0 == " " || $0 == "\t" }.hasPrefix("sid=") }
}
