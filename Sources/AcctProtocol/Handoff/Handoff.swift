package import AcctModel
package import Release
import Secrets
package import StrictJSON

/// Credentials that a server issued and that come as JSON: a backend's answer, a token endpoint's,
/// or a file made of either.
///
/// Nothing in a value of this type is left to check: the DPoP key is one, it is the key that the
/// token is bound to, and every token fits on a header line.
package final class Handoff: Sendable {
  package let accessToken: Token
  package let refreshToken: RefreshToken?
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
  /// The flaws of members that were not needed.
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
    refreshToken = try members.parsed("refreshToken", as: Token.init).map(RefreshToken.init)
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

/// Typed access to the members of a handoff, in either spelling.
///
/// Apps' backends write `accessToken`, OAuth servers `access_token`; `null` and an empty text are the same as not
/// there; a member in both spellings is an error, since nothing says which one counts.
struct HandoffMembers {
  private let object: JSONObject

  /// Other names of members, from the files of OAuth libraries; the first that is there counts.
  ///
  /// google-auth; Go's oauth2 and rclone; google-auth-library (milliseconds); oauth2client; MSAL (seconds); Spring and
  /// others; Doorkeeper's answers.
  private static let otherNames: [String: [String]] = [
    "accessToken": ["token"], "scope": ["scopes"],
    "expiresAt": [
      "expiry", "expiry_date", "token_expiry", "expires_on", "access_token_expiration", "accessTokenExpiration",
      "access_token_expires_at", "accessTokenExpiresAt",
    ],
    "issuedAt": ["obtained_at", "obtainedAt", "created_at"],
  ]

  init(_ json: JSON) throws(HandoffError) {
    guard let object = json.objectValue else { throw .notAnObject }
    self.object = object
  }

  /// A member that is there.
  struct Member {
    /// As it is spelled here, so that errors name what the user finds in the file.
    let name: String
    let value: JSON
  }

  /// A member by its camel-case name.
  func member(_ name: String) throws(HandoffError) -> Member? {
    let members = [name, snakeCased(name)].uniqued.compactMap { spelling in
      object[spelling].map { Member(name: spelling, value: $0) }
    }.filter { $0.value != .null && $0.value != "" }
    guard members.count <= 1 else { throw .member(name, .doubled) }
    if let member = members.first { return member }
    for name in Self.otherNames[name] ?? [] {
      if let value = object[name], value != .null, value != "" { return Member(name: name, value: value) }
    }
    return nil
  }

  /// The spelling that a missing member would have beside those that are there.
  func spelling(of name: String) -> String { object.names.contains { $0.contains("_") } ? snakeCased(name) : name }

  func value(_ name: String) throws(HandoffError) -> JSON? { try member(name)?.value }

  func string(_ name: String) throws(HandoffError) -> String? {
    guard let member = try member(name) else { return nil }
    return try Self.string(member)
  }

  /// A member that a type of the model parses.
  func parsed<Value>(_ name: String, as parse: (String) throws(ParseError) -> Value) throws(HandoffError) -> Value? {
    guard let member = try member(name) else { return nil }
    return try Self.parsed(member.name, try Self.string(member), parse)
  }

  func origins(_ name: String) throws(HandoffError) -> [Origin] {
    guard let member = try member(name) else { return [] }
    guard let elements = member.value.arrayValue else { throw .member(member.name, .notAnArrayOfStrings) }
    var origins: [Origin] = []
    for element in elements {
      guard let text = element.stringValue else { throw .member(member.name, .notAnArrayOfStrings) }
      let origin = try Self.parsed(member.name, text, Origin.init)
      if !origins.contains(origin) { origins.append(origin) }
    }
    return origins
  }

  /// The scope: a text, or a list of texts; `nil` also where it is anything else.
  func scope() throws(HandoffError) -> String? {
    guard let value = try value("scope") else { return nil }
    return value.stringValue ?? value.scopeWords.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
  }

  /// Seconds, as a number or as a text, of which 0 and anything else say nothing: `nil`.
  ///
  /// Any number of seconds in the past is accepted: a file may be older than its token.
  func seconds(_ name: String) throws(HandoffError) -> Int64? {
    guard let number = try value(name)?.looseNumber, number < 1e15 else { return nil }
    let seconds = Int64(max(number, -1e15).rounded(.down))
    return seconds == 0 ? nil : seconds
  }

  /// A time in RFC 3339, which is in UTC without a zone (Python writes none), or in seconds or milliseconds; `nil` also
  /// for 0, for the year 1, which is Go's zero, and for anything else.
  func time(_ name: String) throws(HandoffError) -> Timestamp? {
    guard let value = try value(name) else { return nil }
    if let number = value.looseNumber { return number == 0 ? nil : Timestamp(number: number) }
    guard let text = value.stringValue, !text.hasPrefix(Self.goZero) else { return nil }
    return (try? Timestamp(text)) ?? (try? Timestamp("\(text)Z"))
  }

  /// The spelling of the member that has an end which can't be read; `nil` if it can, or says nothing.
  func unreadableEnd(_ name: String) throws(HandoffError) -> String? {
    guard let member = try member(name), member.value.looseNumber != 0,
      member.value.stringValue?.hasPrefix(Self.goZero) != true
    else { return nil }
    let isRead = name == "expiresIn" ? try seconds(name) != nil : try time(name) != nil
    return isRead ? nil : member.name
  }

  /// The year 1 in UTC, which Go writes for a time that is not set.
  private static let goZero = "0001-01-01"

  private static func string(_ member: Member) throws(HandoffError) -> String {
    guard let text = member.value.stringValue else { throw .member(member.name, .notAString) }
    return text
  }

  private static func parsed<Value>(
    _ name: String,
    _ text: String,
    _ parse: (String) throws(ParseError) -> Value
  ) throws(HandoffError) -> Value {
    do { return try parse(text) } catch .refusedURL(let refusal) {
      throw .refused(member: name, refusal)
    } catch {
      throw .member(name, .malformed)
    }
  }
}

extension [String] {
  fileprivate var uniqued: [String] { count == 2 && self[0] == self[1] ? [self[0]] : self }
}

/// `accessToken` as `access_token`.
private func snakeCased(_ name: String) -> String {
  var text = ""
  for character in name {
    if character.isUppercase {
      text += "_" + character.lowercased()
    } else {
      text.append(character)
    }
  }
  return text
}
