package import AcctModel
package import StrictJSON

/// An ID token's identity of the user (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not checked: the token came from the token endpoint itself, and the connection
/// authenticates it (section 3.1.3.7, item 6). Everything else counts.
package struct IDToken: Equatable, Sendable {
  package let issuer: String
  package let subject: String
  private let claims: JWTClaims

  /// Why a token is rejected.
  package enum Flaw: Error, Equatable, Sendable {
    /// It is no JWT, is encrypted, or lacks `iss`, `aud` or `sub`.
    case unreadable
    /// Another issuer than the server's.
    case issuer
    /// An audience without this client.
    case audience
    case nonceMissing, nonceMismatch
    case expired
  }

  /// Seconds that clocks may differ by, beyond the known offset of the server's.
  private static let tolerance: Int64 = 300

  /// Reads a token.
  ///
  /// - Throws: ``Flaw/unreadable``.
  package init(_ text: String) throws(Flaw) {
    guard let token = try? Token(text), case .claims(let claims) = try? JWT.claims(ofToken: token),
      let issuer = claims.issuer, !issuer.isEmpty, !claims.audiences.isEmpty,
      let subject = claims.subject, !subject.isEmpty
    else { throw .unreadable }
    self.issuer = issuer
    self.subject = subject
    self.claims = claims
  }

  /// Checks that the token is the one that a sign-in asked for (section 3.1.3.7, items 2, 3, 9 and 11).
  ///
  /// - Parameters:
  ///   - issuer: The issuer that it must have; `nil` where none is known, since the user named the endpoints.
  ///   - clientID: The client that it must be for, alone or among others.
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
    guard isFor(clientID) else { throw .audience }
    if let nonce {
      guard let repeated = claims.object["nonce"]?.stringValue else { throw .nonceMissing }
      guard repeated == nonce else { throw .nonceMismatch }
    }
    guard claims.expiry.map({ $0.seconds(since: now) + Self.tolerance > 0 }) ?? true else { throw .expired }
  }

  /// `true` if a client is one of its audiences.
  package func isFor(_ clientID: String) -> Bool { claims.audiences.contains(clientID) }

  /// The issuer that a template makes for the tenant that the token names; `nil` where it names none.
  package func issuer(of template: IssuerTemplate) -> Issuer? {
    claims.object["tid"]?.stringValue.flatMap(template.issuer)
  }

  /// The name that people know the user by; see ``UserIdentity/name(in:_:)``.
  package func name(_ member: String?) -> String? { UserIdentity.name(in: claims.object, member) }
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
