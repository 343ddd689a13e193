package import AcctModel

/// An authorization server answered against the protocol.
///
/// Cases name members and codes, never tokens. Text that the server wrote is shown to the user
/// and must be made printable there.
package enum OAuthError: Error, Equatable, Sendable {
  /// Neither RFC 8414's nor OpenID Connect's metadata could be fetched.
  case noMetadata(status: Int)
  /// The metadata is malformed.
  case metadata(MetadataFlaw)
  /// The server lacks a required capability.
  case unsupported(Feature)
  /// An answer has another media type than JSON.
  case notJSON(status: Int)
  /// An answer is JSON, but malformed.
  case malformedAnswer(member: String)
  /// A userinfo, or an introspection, that has no member for its user.
  case userUnnamed(member: String, in: Statement)
  /// The server refused, in its own words (RFC 6749, section 5.2).
  case refused(code: String, description: String?, status: Int)
  /// The server refused without an error code.
  case unexplained(status: Int)
  /// A token of another type than the requested one.
  case tokenType(String)
  /// An ID token that does not answer the request.
  case idToken(IDToken.Flaw)
  /// A redirect that may not be followed.
  case redirected(to: String?)

  /// An answer about a token's user.
  package enum Statement: Equatable, Sendable { case userinfo, introspection }

  /// A flaw in a server's metadata.
  package enum MetadataFlaw: Error, Equatable, Sendable {
    case notJSON
    /// The `issuer` in it is another one, in these words, or none (RFC 8414, section 3.3).
    case issuer(expected: Issuer, found: String?)
    case missing(member: String)
    case malformed(member: String)
    case refused(member: String, ParseError.Refusal)
  }

  /// A feature that a server may lack.
  package enum Feature: String, Equatable, Sendable {
    case authorizationCode, deviceCode, codeChallengeS256, dpopES256
  }
}

/// A part of a request that an authorization server refuses and only the user can change, by the code of the error
/// (RFC 6749, section 5.2; RFC 8707, section 2).
package enum RefusedPart: String, Sendable, CaseIterable {
  case client = "invalid_client"
  /// The client is known, and may not do this.
  case use = "unauthorized_client"
  case scope = "invalid_scope"
  case resource = "invalid_target"
}
