package import AcctModel
package import Secrets
import StrictJSON
package import Release

/// An ID token: a server's statement about the user who signed in (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not checked: the token came from the token endpoint itself, and the connection
/// authenticates it (section 3.1.3.7, item 6). Everything else counts.
package struct IDToken: Equatable, Sendable {
  package let token: Token
  package let issuer: String
  package let subject: String
  let claims: JWTClaims

  /// Why a token is rejected.
  package enum Flaw: Error, Equatable, Sendable {
    /// It is no JWT, is encrypted, or lacks `iss`, `aud` or `sub`.
    case unreadable
    /// Its `alg` is `none`, which acct never registers.
    case unsigned
    /// Another issuer than the server's, or than the earlier token's.
    case issuer
    /// Another user than the earlier token's.
    case subject
    /// An audience without this client.
    case audience
    /// Several audiences, or an authorized party that is another client.
    case authorizedParty
    case nonceMissing, nonceMismatch
    case expired
    /// There is no `exp` that is a time.
    case endMissing
    /// There is no `iat` that is a time.
    case issueTimeMissing
    /// It was issued after now.
    case issuedLater
  }

  /// Reads a token.
  ///
  /// - Throws: ``Flaw/unreadable``, ``Flaw/unsigned``.
  package init(_ secret: Secret) throws(Flaw) {
    guard let token = try? Token(secret) else { throw .unreadable }
    try self.init(token)
  }

  /// Reads a token; it is decoded, never verified.
  ///
  /// - Throws: ``Flaw/unreadable``, ``Flaw/unsigned``.
  package init(_ token: Token) throws(Flaw) {
    guard let jwt = try? JWT.decode(token), let issuer = jwt.claims.issuer,
      !issuer.isEmpty, !jwt.claims.audiences.isEmpty, let subject = jwt.claims.subject, !subject.isEmpty,
      jwt.claims.object["aud"]?.arrayValue?.count ?? 1 == jwt.claims.audiences.count
    else { throw .unreadable }
    guard jwt.header["alg"]?.stringValue?.lowercased() != "none" else { throw .unsigned }
    self.token = token
    self.issuer = issuer
    self.subject = subject
    claims = jwt.claims
  }

  /// Its end; the life is known if the token tells when it was issued.
  package var lifetime: TokenLifetime {
    let life = claims.issuedAt.flatMap { issued in claims.expiry?.seconds(since: issued) }
    return TokenLifetime(expiresAt: claims.expiry, lifetime: life, canRenew: true)
  }

  /// The state by the clock alone.
  ///
  /// Its end is by the server's clock: one that has more left than its life was not stored by a clock that was ahead.
  ///
  /// - Parameters:
  ///   - now: The time to decide for.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: As ``TokenLifetime/state(at:leaving:)``.
  package func state(at now: Timestamp, leaving minimum: Int64?) -> SessionState {
    TokenLifetime(expiresAt: claims.expiry, canRenew: true).state(at: now, leaving: minimum ?? lifetime.skewBuffer)
  }

  /// When it was issued.
  package var issuedAt: Timestamp? { claims.issuedAt }

  /// `true` if a client is one of its audiences.
  package func isFor(_ clientID: String) -> Bool { claims.audiences.contains(clientID) }

  /// The issuer that a template makes for the tenant that the token names; `nil` where it names none.
  package func issuer(of template: IssuerTemplate) -> Issuer? {
    claims.object["tid"]?.stringValue.flatMap(template.issuer)
  }

  /// The name that people know the user by; see ``UserIdentity/name(in:_:)``.
  package func name(_ member: String?) -> String? { UserIdentity.name(in: claims.object, member) }
}
