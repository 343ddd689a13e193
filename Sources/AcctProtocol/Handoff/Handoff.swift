package import AcctModel
import Secrets
package import StrictJSON
package import Release

/// Credentials that a server issued and that come as JSON: a backend's answer, a token endpoint's,
/// or a file made of either.
///
/// Nothing in a value of this type is left to check: the DPoP key is one, it is the key that the
/// token is bound to, and every token fits on a header line.
package final class Handoff: Sendable {
  package let accessToken: Token
  package let refreshToken: Token?
  package let idToken: IDToken?
  /// The DPoP key, if the token is bound to one.
  package let key: DPoPKey?
  /// `true` if the token is bound to the client's certificate (RFC 8705, section 3).
  package let isCertificateBound: Bool
  package let handle: Handle?
  package let did: DID?
  /// The subject that the token itself names, if it is a JWT.
  package let tokenSubject: String?
  package let displayName: String?
  package let service: Origin?
  package let issuerSource: IssuerSource?
  package let identity: Identity
  /// The origins that the token may be sent to; empty if the handoff names none.
  package let origins: OwnOrigins
  package let scope: String?
  package let tokenLifetime: TokenLifetime
  /// When the server gave the token, if a file says so.
  package let issuedAt: Timestamp?
  /// What could not be used of it, and was not needed.
  package let blemishes: [Blemish]

  package var tokenType: Account.TokenType { key == nil ? .bearer : .dpop }

  /// Reads a handoff.
  ///
  /// - Parameters:
  ///   - json: The answer, in the spelling of apps' backends or of OAuth (RFC 6749, section 5.1).
  ///   - now: The time from which `expires_in` counts, unless a file names it.
  ///   - isFile: `true` for a file, which may say when the server gave the token.
  ///   - certificate: The thumbprint of the client's certificate, if it has one.
  /// - Throws: ``HandoffError``; nothing of the handoff may then be kept.
  package init(
    _ json: JSON,
    receivedAt now: Timestamp,
    isFile: Bool = false,
    certificate: String? = nil
  ) throws(HandoffError) {
    let members = try HandoffMembers(json)
    guard let accessToken = try members.parsed("accessToken", as: Token.init) else {
      throw .missing(member: members.spelling(of: "accessToken"))
    }
    let claims = TokenClaims(of: accessToken)
    if let thumbprint = claims.certificateThumbprint, thumbprint != certificate {
      throw certificate == nil ? .certificateMissing : .certificateBinding
    }
    self.accessToken = accessToken
    isCertificateBound = claims.certificateThumbprint != nil
    tokenSubject = claims.subject
    refreshToken = try members.parsed("refreshToken", as: Token.init)
    key = try Self.key(members, claims)
    handle = try members.parsed("handle", as: Handle.init)
    did = try members.parsed("did", as: DID.init)
    displayName = try members.value("displayName")?.stringValue
    let stated = try members.scope()
    scope = stated ?? claims.scope
    var blemishes: [Blemish] = []
    if stated == nil, try members.value("scope").map({ $0 != [] }) ?? false { blemishes.append(.scopeUnknown) }

    let pds = try members.parsed("pds", as: Origin.init)
    let given = try members.parsed("issuer", as: Issuer.init)
    let claimed = claims.issuer.flatMap { try? Issuer($0) }
    issuerSource = given != nil ? .given : did != nil ? .did : claimed != nil ? .token : nil
    identity = Identity(
      subject: did?.description ?? claims.subject ?? handle?.description,
      issuer: given ?? claimed,
      clientID: try members.string("clientId") ?? claims.clientID
    )
    let listed = try members.origins("origins")
    let resources = listed.isEmpty ? [claims.resourceServer].compactMap(\.self) : listed
    let fallback = [pds ?? given?.url.origin ?? claimed?.url.origin].compactMap(\.self)
    origins =
      resources.isEmpty
      ? OwnOrigins(fallback, for: .signIn) : OwnOrigins(resources, for: .resource)
    service = pds ?? origins.first
    let time = isFile ? try members.value("issuedAt")?.looseNumber.flatMap { Timestamp(number: $0) } : nil
    issuedAt = time.flatMap { $0 > now ? nil : $0 }
    // Without an issuer there is no server that could be asked.
    let canRenew = refreshToken != nil && issuerSource != nil
    tokenLifetime = try Self.tokenLifetime(members, claims, canRenew: canRenew, issuedAt ?? now, now)
    for name in ["expiresAt", "expiresIn"] {
      if let spelling = try members.unreadableEnd(name) { blemishes.append(.end(spelling)) }
    }
    do throws(HandoffError) {
      idToken = try Self.idToken(members, from: given, for: identity.clientID)
    } catch .idToken(.unreadable) {
      idToken = nil
      blemishes.append(.idToken)
    }
    self.blemishes = blemishes
  }

  /// The key that binds the token, or `nil` for a bearer token (RFC 9449, section 6.1).
  private static func key(_ members: HandoffMembers, _ claims: TokenClaims) throws(HandoffError) -> DPoPKey? {
    var isBound = claims.isBoundToKey
    var isBearer = false
    if let type = try members.string("tokenType")?.lowercased() {
      guard ["dpop", "bearer"].contains(type) else {
        let name = try members.member("tokenType")?.name ?? "tokenType"
        throw .member(name, .unknownTokenType)
      }
      isBound = isBound || type == "dpop"
      isBearer = type == "bearer" && !isBound
    }
    guard let jwk = try members.value("dpopKey") else {
      guard !isBound else { throw .keyMissing }
      return nil
    }
    let key: DPoPKey
    do { key = try DPoPKey(jwk: jwk) } catch { throw .key(error) }
    if let thumbprint = claims.confirmationThumbprint, thumbprint != key.thumbprint { throw .keyBinding }
    return isBearer ? nil : key
  }

  /// The ID token, which may have ended: a renewal may bring the next.
  private static func idToken(
    _ members: HandoffMembers,
    from issuer: Issuer?,
    for clientID: String?
  ) throws(HandoffError) -> IDToken? {
    guard let text = try members.string("idToken") else { return nil }
    do throws(IDToken.Flaw) {
      let token = try IDToken(Secret(text))
      guard issuer == nil || token.issuer == issuer?.description else { throw .issuer }
      if let clientID { try token.checkAudience(clientID) }
      return token
    } catch {
      throw .idToken(error)
    }
  }

  /// The earlier of the token's `exp` and the server's `expiresAt` or `expires_in`, else one hour from now; if it can't
  /// be renewed, no known end.
  ///
  /// It has a lifetime wherever its end is computed from one.
  private static func tokenLifetime(
    _ members: HandoffMembers,
    _ claims: TokenClaims,
    canRenew: Bool,
    _ start: Timestamp,
    _ now: Timestamp
  ) throws(HandoffError) -> TokenLifetime {
    let stated = try members.time("expiresAt")
    let lifetime = try members.seconds("expiresIn")
    let end = [stated ?? lifetime.map(start.adding), claims.expiry].compactMap(\.self).min()
    let assumed: Int64? = end == nil && canRenew ? 3600 : nil
    return TokenLifetime(
      expiresAt: end ?? assumed.map(now.adding),
      // Of a life there is no less than what is left.
      lifetime: lifetime.map { max($0, end?.seconds(since: now) ?? 0) } ?? assumed,
      canRenew: canRenew
    )
  }
}

/// Why imported credentials can't be used.
///
/// Cases name members, never their values, which may be secrets.
package enum HandoffError: Error, Equatable, Sendable {
  case json(JSONError)
  /// The JSON is not an object.
  case notAnObject
  /// There is no access token.
  case missing(member: String)
  /// A member has another type or form than it must have.
  case member(String, Flaw)
  /// A URL in a member is one that no credential may be sent to.
  case refused(member: String, ParseError.Refusal)
  case key(JWKError)
  /// The token is bound to a DPoP key, and none came with it.
  case keyMissing
  /// The token's `cnf.jkt` is the thumbprint of another key.
  case keyBinding
  /// The token is bound to a certificate, and none was given.
  case certificateMissing
  /// The token's `cnf.x5t#S256` is the thumbprint of another certificate.
  case certificateBinding
  case idToken(IDToken.Flaw)
  /// The file is something else.
  case foreign(ForeignDocument)

  /// A flaw in a member.
  package enum Flaw: Equatable, Sendable {
    case notAString
    case notAnArrayOfStrings
    /// Both spellings are there.
    case doubled
    /// Not a handle, DID, URL, origin or token, whichever it must be.
    case malformed
    /// A `token_type` other than DPoP and Bearer.
    case unknownTokenType
    /// Not a member of a description of a sign-in.
    case unknown
    /// It does not go with the grant.
    case misplaced
  }
}
