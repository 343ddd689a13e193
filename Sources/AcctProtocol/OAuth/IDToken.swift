package import AcctModel
package import Release
package import Secrets
package import StrictJSON

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

/// The checks of a client that got the token by TLS from the token endpoint (OpenID Connect Core 1.0, section 3.1.3.7).
extension IDToken {
  /// Seconds that clocks may differ by, beyond the known offset of the server's.
  private static let tolerance: Int64 = 300

  /// Checks that the token is the one that a sign-in asked for (items 2 to 5 and 9 to 11).
  ///
  /// - Parameters:
  ///   - issuer: The issuer that it must have; `nil` where none is known, since the user named the endpoints.
  ///   - clientID: The client that it must be for; of several audiences, `azp` must name it, too.
  ///   - nonce: The nonce that it must repeat, if the request had one.
  ///   - now: The time at the server.
  /// - Throws: ``Flaw``.
  package func check(
    from issuer: Issuer?,
    for clientID: String,
    repeating nonce: String?,
    at now: Timestamp
  ) throws(Flaw) {
    guard issuer == nil || self.issuer == issuer?.description else { throw .issuer }
    try checkAudience(clientID)
    if let nonce {
      guard let repeated = claims.object["nonce"]?.stringValue else { throw .nonceMissing }
      guard repeated == nonce else { throw .nonceMismatch }
    }
    try checkTime(now)
  }

  /// Checks that the token may take the place of an earlier one after a refresh (section 12.2).
  ///
  /// - Parameters:
  ///   - earlier: The token before; `nil` if none is stored.
  ///   - clientID: The client that it must be for, if it is known.
  ///   - now: The time at the server.
  /// - Throws: ``Flaw``.
  package func check(after earlier: IDToken?, for clientID: String?, at now: Timestamp) throws(Flaw) {
    if let earlier {
      guard issuer == earlier.issuer else { throw .issuer }
      guard subject == earlier.subject else { throw .subject }
      guard earlier.claims.audiences.allSatisfy(isFor) else { throw .audience }
      let nonce = claims.object["nonce"] ?? .null
      guard nonce == .null || nonce == earlier.claims.object["nonce"] else { throw .nonceMismatch }
    }
    if let clientID { try checkAudience(clientID) }
    try checkTime(now)
  }

  func checkAudience(_ clientID: String) throws(Flaw) {
    guard isFor(clientID) else { throw .audience }
    let party = claims.object["azp"] ?? .null
    let isAlone = claims.audiences.allSatisfy { $0 == clientID }
    guard party == .string(clientID) || isAlone && party == .null else { throw .authorizedParty }
  }

  private func checkTime(_ now: Timestamp) throws(Flaw) {
    guard let end = claims.expiry else { throw .endMissing }
    guard end.seconds(since: now) + Self.tolerance > 0 else { throw .expired }
    guard let issued = issuedAt else { throw .issueTimeMissing }
    guard issued.seconds(since: now) <= Self.tolerance else { throw .issuedLater }
  }
}

/// The user who signed in, as a server's userinfo (OpenID Connect Core 1.0, section 5.3) or an address like it, an ID
/// token, or an introspection (RFC 7662) names them.
package struct UserIdentity: Equatable, Sendable {
  /// The permanent identifier of the user at this server.
  package let subject: String
  /// The name that people know the user by; it can change hands.
  package let name: String?

  /// In bytes.
  private static let longest = 255

  /// Reads the members of an answer; `nil` where nothing that can be compared tells one user from another.
  ///
  /// - Parameters:
  ///   - object: The answer.
  ///   - subject: The member for ``subject``; `sub` where `nil`. A whole number counts, too.
  ///   - name: The member for ``name``; the first that there is of OpenID Connect's where `nil`.
  package init?(_ object: JSONObject, subject: String? = nil, name: String? = nil) {
    guard let subject = Self.text(object[subject ?? "sub"]) else { return nil }
    self.subject = subject
    self.name = Self.name(in: object, name)
  }

  /// The name alone.
  package static func name(in object: JSONObject, _ member: String? = nil) -> String? {
    let members = member.map { [$0] } ?? ["preferred_username", "email", "name"]
    return members.lazy.compactMap { text(object[$0]) }.first
  }

  /// A short text that shows as itself, or a whole number.
  private static func text(_ value: JSON?) -> String? {
    let text =
      switch value {
      case .string(let text): text
      case .number(let number): number.integer.map(String.init) ?? ""
      case .null, .bool, .array, .object, nil: ""
      }
    let isUsable = (1...longest).contains(text.utf8.count) && printable(text) == text
    return isUsable ? text : nil
  }
}
