package import AcctModel

/// acct's identity as a client of an AT Protocol server, and the scope that it requests.
package enum ATProtoClient {
  /// Requested unless the user wants another.
  package static let scope = "atproto transition:generic"

  /// The beginning of the client identifier of a program without a web page; its scope follows.
  package static let loopbackPrefix = "http://localhost"

  /// The lifetime of a public client's session, in seconds: 14 days from its sign-in, which renewing does not extend.
  package static let sessionLifetime: Int64 = 14 * 86_400

  /// The client identifier of a program without a web page (<https://atproto.com/specs/oauth>,
  /// "Localhost Client Development").
  ///
  /// The redirect is declared without a port, and any port is then accepted. The exact string is
  /// stored with the account: a renewal with another one ends the session.
  package static func loopbackID(scope: String) -> String {
    var form = FormBody()
    form.add("redirect_uri", "http://127.0.0.1/callback")
    form.add("scope", scope)
    return "\(loopbackPrefix)?\(form.text)"
  }

  /// Checks the grant of a token endpoint.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - did: The requested identity; `nil` if the sign-in began at a server.
  /// - Returns: The identity that has signed in.
  /// - Throws: ``ATProtoError/subjectMismatch(expected:found:)``, ``ATProtoError/scopeMissing``.
  package static func subject(of response: TokenResponse, askedFor did: DID?) throws(ATProtoError) -> DID {
    guard response.scope?.split(separator: " ").contains("atproto") == true else { throw .scopeMissing }
    // The token's own claims do not count: to a client it is opaque.
    guard let text = response.statedSubject, let subject = try? DID(text) else {
      throw .subjectMismatch(expected: did, found: response.statedSubject)
    }
    if let did, did != subject { throw .subjectMismatch(expected: did, found: text) }
    return subject
  }
}
