package import Release

/// The audience that an access token names (RFC 9068, section 2.2).
package enum TokenAudience {
  /// Reads a token; it is decoded, never verified.
  ///
  /// - Returns: The audiences; `nil` for an opaque token.
  package static func audiences(of token: Token) -> [String]? {
    guard case .claims(let claims) = JWT.claims(ofToken: token) else { return nil }
    return claims.audiences
  }

  /// The scope that a token names (RFC 8693, section 4.2).
  package static func scope(of token: Token) -> String? { TokenClaims(of: token).scope }
}
