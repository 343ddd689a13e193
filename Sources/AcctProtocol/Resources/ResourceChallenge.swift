package import AcctModel
package import Secrets
import Text

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

/// A resource server accepts the token, and wants more of its user: a scope (RFC 6750, section 3.1), or another
/// authentication (RFC 9470, section 3).
///
/// No renewal helps: only the user can grant the missing authorization.
package struct StepUpChallenge: Equatable, Sendable {
  /// The missing authorization.
  package enum Need: String, Sendable, CaseIterable {
    case scope = "insufficient_scope"
    case authentication = "insufficient_user_authentication"
  }

  package let need: Need
  /// The scope that the request needs, as far as its words are well-formed.
  package private(set) var scope: [String] = []
  /// The classes of authentication that the server accepts, the preferred one first.
  package private(set) var acrValues: [String] = []
  /// The greatest age of the user's authentication that the server accepts, in seconds.
  package private(set) var maxAge: Int64?
  /// The server's own words.
  package private(set) var description: String?

  /// Reads an answer; `nil` for any but such a challenge.
  ///
  /// - Parameters:
  ///   - status: The answer's. The RFCs name 403 for a scope and 401 for an authentication; either is accepted
  ///     with both.
  ///   - fields: Its fields.
  ///   - redactor: Takes secrets out of the server's words. A word that has one is left out.
  package init?(status: Int, fields: [(name: String, value: String)], redacting redactor: Redactor) {
    guard status == 401 || status == 403 else { return nil }
    let challenge = fields.values(of: "www-authenticate")
      .flatMap(AuthenticationChallenge.parse)
      .first { $0.parameters["error"].flatMap(Need.init) != nil }
    guard let parameters = challenge?.parameters, let need = parameters["error"].flatMap(Need.init) else { return nil }
    func words(_ name: String) -> [String] {
      (parameters[name] ?? "").split(separator: " ").map(String.init)
        .filter { Scope.isWellFormed($0) && redactor.redact($0) == $0 }
    }
    self.need = need
    scope = words("scope")
    acrValues = words("acr_values")
    // As the server wrote it, with nothing but digits.
    maxAge = parameters["max_age"].flatMap { text in
      text.utf8.count <= 12 && text.utf8.allSatisfy(\.isASCIIDigit)
        ? Int64(text) : nil
    }
    description = parameters["error_description"].map { redactor.redact(String($0.prefix(200))) }
  }
}
