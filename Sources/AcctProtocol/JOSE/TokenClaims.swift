import AcctModel
import StrictJSON

/// An access token's claims; none, if it is opaque.
///
/// Decoded, never trusted: only the resource server can verify it (RFC 9068, section 4).
struct TokenClaims {
  private let claims: JWTClaims?

  /// Reads a token.
  ///
  /// - Parameter token: A JWT, or anything else.
  /// - Throws: ``JWTError`` for a token that claims to be a JWT and is a broken one.
  init(of token: Token) throws(JWTError) {
    claims =
      switch try JWT.claims(ofToken: token) {
      case .opaque: nil
      case .claims(let claims): claims
      }
  }

  var expiry: Timestamp? { claims?.expiry }
  var subject: String? { claims?.subject }
  var issuer: String? { claims?.issuer }
  var clientID: String? { claims?.clientID }
  var scope: String? { claims?.scope }
  /// The thumbprint of the key that it is bound to (RFC 9449, section 6.1).
  var confirmationThumbprint: String? { claims?.confirmationThumbprint }
  /// Whether it is bound to anything (RFC 7800), a key of DPoP or something else.
  var isBound: Bool { claims?.object["cnf"] != nil }

  /// The first audience that is a URL or a `did:web`, as the origin that takes the token.
  var resourceServer: Origin? {
    for audience in claims?.audiences ?? [] {
      if let origin = (try? HTTPURL(audience))?.origin ?? (try? DID(audience))?.webOrigin { return origin }
    }
    return nil
  }
}
