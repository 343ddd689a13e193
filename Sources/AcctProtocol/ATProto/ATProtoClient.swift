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
    return "\(loopbackPrefix)?\(form.openedText)"
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

/// Why an AT Protocol identity, or an address that it names, can't be trusted.
package enum ATProtoError: Error, Equatable, Sendable {
  /// A top-level name that is never resolved, or `.test` without a resolver of one's own.
  case unresolvableHandle(Handle)
  /// Neither DNS nor the handle's own server has a DID for it.
  case handleNotFound(Handle)
  /// Two TXT records name two DIDs.
  case handleAmbiguous(Handle)
  /// The handle's record exists and is not a DID.
  case handleMalformed(Handle)
  /// A method other than `plc` and `web`, or a `did:web` with a path.
  case unsupportedDID(DID)
  case didNotFound(DID)
  /// The document is another DID's.
  case documentMismatch(DID)
  case documentMalformed(DID)
  /// The document names no personal data server.
  case noService(DID)
  /// Its data server's address is one that no credential may be sent to.
  case serviceRefused(DID)
  /// The document claims another handle than the one that was asked for.
  case handleNotConfirmed(Handle, DID)
  /// Metadata of the data server is missing, redirected, not JSON, or another server's.
  case protectedResource(Origin, Flaw)
  /// The authorization server lacks something that the protocol asks for.
  case server(Origin, missing: String)
  /// The tokens are another identity's.
  case subjectMismatch(expected: DID?, found: String?)
  /// The grant does not hold the scope `atproto`.
  case scopeMissing
  /// The DID's own document leads to another server than the one that granted the tokens.
  case issuerMismatch(DID, expected: Issuer)

  /// A flaw in a document.
  package enum Flaw: Equatable, Sendable {
    case status(Int)
    case notJSON
    case malformed
    /// It speaks for another origin.
    case foreign
  }
}
