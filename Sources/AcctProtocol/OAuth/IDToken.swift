package import AcctModel
import StrictJSON

/// What an ID token says of who has signed in (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not looked at: the token came from the token endpoint itself, and the
/// connection vouches for it (section 3.1.3.7, item 6). Who it is from and for still counts.
package struct IDToken: Equatable, Sendable {
  private let claims: JWTClaims

  /// Reads a token; a text that is not a JWT, or is encrypted for another recipient, is none.
  init?(_ text: String) {
    guard let token = try? Token(text), case .claims(let claims) = try? JWT.claims(ofToken: token)
    else { return nil }
    self.claims = claims
  }

  /// The `sub`, if the token is what was asked for (section 3.1.3.7, items 2, 3 and 11).
  ///
  /// - Parameters:
  ///   - issuer: Who must have issued it.
  ///   - clientID: Whom it must be for, alone or among others.
  ///   - nonce: What it must repeat, if the request had one.
  /// - Returns: Who has signed in, or `nil` where the token can't tell.
  package func subject(
    from issuer: Issuer,
    for clientID: String,
    repeating nonce: String?
  ) -> String? {
    guard claims.issuer == issuer.description, audiences.contains(clientID),
      nonce == nil || claims.object["nonce"]?.stringValue == nonce
    else { return nil }
    return claims.subject.flatMap { $0.isEmpty ? nil : $0 }
  }

  private var audiences: [String] {
    switch claims.object["aud"] {
    case .string(let text): [text]
    case .array(let values): values.compactMap(\.stringValue)
    default: []
    }
  }
}
