package import AcctModel

/// The challenge of a resource server that rejects a request without a credential (RFC 9728, section 5.1; RFC 6750,
/// section 3).
package struct ResourceChallenge: Equatable, Sendable {
  /// The address of the resource server's metadata.
  package let metadata: HTTPURL?
  /// The scope that it asks for, as words.
  package let scope: [String]

  /// Reads the challenges of an answer.
  ///
  /// - Parameters:
  ///   - status: The answer's; only a 401 counts.
  ///   - fields: Its fields. The first challenge that names the metadata counts, of any scheme, else the first that
  ///     names a scope.
  /// - Throws: ``ResourceFlaw/challenge(parameter:)`` where the challenge is no use as it is.
  package init(status: Int, fields: [(name: String, value: String)]) throws(ResourceFlaw) {
    let challenges =
      status == 401
      ? fields.values(of: "www-authenticate").flatMap(AuthenticationChallenge.parse) : []
    let challenge =
      challenges.first { $0.parameters["resource_metadata"] != nil }
      ?? challenges.first { $0.parameters["scope"] != nil }
    if let text = challenge?.parameters["resource_metadata"] {
      guard let url = try? HTTPURL(text) else { throw .challenge(parameter: "resource_metadata") }
      metadata = url
    } else {
      metadata = nil
    }
    guard let text = challenge?.parameters["scope"], !text.isEmpty else {
      scope = []
      return
    }
    guard let words = Scope.strictWords(text) else { throw .challenge(parameter: "scope") }
    scope = words
  }
}
