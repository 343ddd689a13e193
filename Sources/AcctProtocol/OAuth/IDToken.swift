package import AcctModel
import StrictJSON

/// An ID token's identity of the user (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not checked: the token came from the token endpoint itself, and the connection
/// authenticates it (section 3.1.3.7, item 6). Its issuer and audience still count.
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
  ///   - issuer: The issuer that it must have; `nil` where none is known, since the user named the endpoints.
  ///   - clientID: The client that it must be for, alone or among others.
  ///   - nonce: The nonce that it must repeat, if the request had one.
  /// - Returns: The user's subject, or `nil` if the token can't tell.
  package func subject(
    from issuer: Issuer?,
    for clientID: String,
    repeating nonce: String?
  ) -> String? {
    guard issuer == nil || claims.issuer == issuer?.description, audiences.contains(clientID),
      nonce == nil || claims.object["nonce"]?.stringValue == nonce
    else { return nil }
    return claims.subject.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Subject and issuer, if the token's issuer is one of a template, for the tenant that it names itself.
  package func user(
    fitting template: IssuerTemplate,
    for clientID: String,
    repeating nonce: String?
  ) -> (subject: String, issuer: Issuer)? {
    guard let tenant = claims.object["tid"]?.stringValue,
      let issuer = template.issuer(of: tenant),
      let subject = subject(from: issuer, for: clientID, repeating: nonce)
    else { return nil }
    return (subject, issuer)
  }

  /// What people know the user by; see ``UserIdentity/name(in:_:)``.
  package func name(_ member: String?) -> String? { UserIdentity.name(in: claims.object, member) }

  private var audiences: [String] {
    switch claims.object["aud"] {
    case .string(let text): [text]
    case .array(let values): values.compactMap(\.stringValue)
    default: []
    }
  }
}
