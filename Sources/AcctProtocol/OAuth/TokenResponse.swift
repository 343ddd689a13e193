package import AcctModel
package import Release
import Secrets
package import StrictJSON

/// A successful answer of a token endpoint (RFC 6749, section 5.1).
package final class TokenResponse: Sendable {
  package let accessToken: Token
  package let refreshToken: RefreshToken?
  package let tokenType: Account.TokenType
  /// Seconds.
  package let lifetime: Int64?
  /// Seconds that the refresh token is good for, as Keycloak, Google and others tell.
  private let refreshLifetime: Int64?
  package let scope: String?
  /// `sub` of the answer, as AT Protocol servers send it, else of the token.
  package let subject: String?
  /// The `sub` beside the token, as AT Protocol requires it.
  package let statedSubject: String?
  /// The user's identity, if the server speaks OpenID Connect; a failure is one that can't be read.
  package let idToken: Result<IDToken, IDToken.Flaw>?
  /// The token's own audience.
  package let resourceServer: Origin?
  /// The token's own `exp`.
  package let expiry: Timestamp?
  /// The server's time when it answered; `nil` if it did not tell.
  private let serverTime: Timestamp?
  /// `true` if it is bound to the client's certificate, `false` if it is not; `nil` where it does not tell.
  package let isCertificateBound: Bool?

  /// The flaws of the answer that cost nothing of the grant.
  package let blemishes: [Blemish]

  /// Reads the answer.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  ///   - certificate: The certificate on whose connection it was requested, if there was one.
  ///   - requestedType: The type that an exchange asked for: that of a token whose answer does not name it.
  ///   - shown: Takes secrets out of text that people will read.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``, ``OAuthError/tokenType(_:)``.
  package convenience init(
    _ json: JSON,
    boundTo key: String?,
    certificate: ClientCertificate? = nil,
    requesting requestedType: TokenTypeURI? = nil,
    showing shown: (String) -> String
  ) throws(OAuthError) {
    guard let body = json.objectValue else { throw .malformedAnswer(member: "body") }
    try self.init(
      GrantMembers(body),
      boundTo: key,
      certificate: certificate,
      requesting: requestedType,
      showing: shown
    )
  }

  /// Reads what an answer grants; see ``init(_:boundTo:certificate:requesting:showing:)-(JSON,_,_,_,_)``.
  package init(
    _ grant: GrantMembers,
    boundTo key: String?,
    certificate: ClientCertificate? = nil,
    requesting requestedType: TokenTypeURI? = nil,
    showing shown: (String) -> String
  ) throws(OAuthError) {
    var answer = grant.ofUser
    guard let accessToken = answer.token("access_token") else { throw .malformedAnswer(member: "access_token") }
    let claims = TokenClaims(of: accessToken)
    let type = answer.text("token_type") ?? "Bearer"
    var issuedType = requestedType
    // It decides where the token may be sent, so it has to be understood.
    if let value = answer.value("issued_token_type") {
      guard let text = value.stringValue, let uri = try? TokenTypeURI(text) else {
        throw .malformedAnswer(member: "issued_token_type")
      }
      issuedType = uri
    }
    // In the answer to an exchange (RFC 8693, section 2.2.1), where a token may be of no use to resource servers.
    let isSent = issuedType?.mayBeBearer ?? true
    let name = type.lowercased()
    let isBearer = Self.bearerNames.contains(name)
    switch name {
    case _ where issuedType == .refreshToken: throw .tokenType(shown(type))
    case "n_a" where issuedType != nil, "dpop" where !isSent, _ where isBearer && !isSent: tokenType = .none
    case "dpop" where key != nil: tokenType = .dpop
    case _ where isBearer && !claims.isBoundToKey: tokenType = .bearer
    default: throw .tokenType(shown(type))
    }
    if let thumbprint = claims.confirmationThumbprint, tokenType == .dpop, thumbprint != key {
      throw .malformedAnswer(member: "cnf.jkt")
    }
    isCertificateBound = claims.isReadable ? claims.certificateThumbprint != nil : nil
    // Tokens that were bound stay bound: they would lose that protection unseen.
    let isRequired = certificate?.isBound == true && isCertificateBound == false
    guard claims.certificateThumbprint.map({ $0 == certificate?.thumbprint }) ?? !isRequired else {
      throw .malformedAnswer(member: "cnf.x5t#S256")
    }
    self.accessToken = accessToken
    refreshToken = answer.token("refresh_token").map(RefreshToken.init)
    scope = answer.scope().map(shown)
    statedSubject = answer.text("sub")
    subject = statedSubject ?? claims.subject
    idToken = answer.value("id_token").map(Self.idToken)
    resourceServer = claims.resourceServer
    expiry = claims.expiry
    // An unusable lifetime counts as none: the token is good, and its own `exp` may tell.
    lifetime = answer.seconds("expires_in")
    let told = answer.value("refresh_token_expires_in") ?? answer.value("refresh_expires_in")
    // 0 is Keycloak's for one without an end.
    refreshLifetime = told?.numberValue?.integer.flatMap { (1...Self.longest).contains($0) ? $0 : nil }
    serverTime = answer.serverTime
    blemishes = answer.blemishes
  }

  /// In seconds: ten years.
  private static let longest: Int64 = 3_650 * 86_400

  /// The names of bearer tokens in lower case: the registered one, and those of Slack, Azure DevOps, Apigee and eBay.
  private static let bearerNames = [
    "bearer", "user", "jwt-bearer", "bearertoken", "user access token", "application access token",
  ]

  private static func idToken(_ member: JSON) -> Result<IDToken, IDToken.Flaw> {
    Result { () throws(IDToken.Flaw) in
      guard let text = member.stringValue else { throw .unreadable }
      return try IDToken(Secret(text))
    }
  }

  /// When the refresh token of the answer ends.
  ///
  /// - Parameter now: When it was asked for, or when the answer came.
  /// - Returns: The end, as the answer or the token itself tells; `nil` if neither does.
  package func sessionEnd(from now: Timestamp) -> Timestamp? {
    if let refreshLifetime { return now.adding(seconds: refreshLifetime) }
    return refreshToken.flatMap { JWT.claims(of: $0) }?.expiry
  }

  /// The lease that begins at a time.
  ///
  /// - Parameters:
  ///   - now: When it was asked for, or when the answer came.
  ///   - canRenew: `true` if there is a refresh token, this one's or an earlier one's.
  /// - Returns: The lease. Where neither the server nor the token tells, an hour if there is a refresh
  ///   token, else no known end: such tokens are valid until the server rejects them.
  package func tokenLifetime(from now: Timestamp, canRenew: Bool) -> TokenLifetime {
    let seconds = lifetime ?? (canRenew && expiry == nil ? 3600 : nil)
    return TokenLifetime(granted: seconds, until: expiry, by: serverTime, at: now, canRenew: canRenew)
  }
}

/// The meaning of an answer to a request for tokens.
package enum TokenOutcome: Sendable {
  /// Tokens; what was wrong with the answer is in ``TokenResponse/blemishes``.
  case granted(TokenResponse)
  /// A grant whose access token can't be used, with the refresh token that may have replaced the one before.
  case unusable(refreshToken: RefreshToken?, OAuthError)
  /// The server's refusal for good, in its words: the session has ended.
  case ended(code: String, description: String?, status: Int)
  /// Anything else: the credential stays.
  case unanswered(NoAnswer)

  /// Classifies an answer.
  ///
  /// Some servers send errors with the status 200 (GitHub): an `error` without an access token is that error with any
  /// status. Beside one it takes nothing back, and the refresh token that was sent may be spent.
  ///
  /// - Parameters:
  ///   - answer: A token endpoint's.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  ///   - certificate: The certificate on whose connection it was requested, if there was one.
  ///   - requestedType: The type of token that an exchange asked for, if it named one.
  package init(
    _ answer: ServerAnswer,
    boundTo key: String?,
    certificate: ClientCertificate? = nil,
    requesting requestedType: TokenTypeURI? = nil
  ) {
    let isError = answer.isError && answer.object?["access_token"]?.stringValue?.isEmpty ?? true
    if !isError, let grant = answer.grant {
      do {
        self = .granted(
          try TokenResponse(
            grant,
            boundTo: key,
            certificate: certificate,
            requesting: requestedType,
            showing: answer.shown
          )
        )
        return
      } catch {
        if let token = grant.refreshToken {
          self = .unusable(refreshToken: token, error)
          return
        }
        let isGrant = answer.object != nil || error != .malformedAnswer(member: "access_token")
        if answer.errorCode == nil, isGrant {
          self = .unanswered(.failed(error))
          return
        }
      }
    }
    if let code = answer.errorCode, answer.endsSession {
      self = .ended(code: code, description: answer.description, status: answer.status)
    } else {
      self = .unanswered(answer.noAnswer)
    }
  }

  /// The outcome for an account whose tokens are of `type`: tokens of another type are an error.
  ///
  /// The server decides the type with each answer (RFC 6749, section 5.1). A bound account that is
  /// answered `Bearer` can't keep that token as a bound one, and never becomes a bearer account by
  /// itself: its tokens would lose the protection of the key unseen.
  package func requiring(_ type: Account.TokenType) -> TokenOutcome {
    guard case .granted(let response) = self, response.tokenType != type else { return self }
    return .unusable(refreshToken: response.refreshToken, .tokenType(response.tokenType.rawValue))
  }
}

extension GrantMembers {
  /// The members of the user's own tokens: Slack puts them beside that of an app's bot, which acct does not ask for.
  fileprivate var ofUser: GrantMembers {
    guard object["access_token"] == nil, let user = object["authed_user"]?.objectValue else { return self }
    return GrantMembers(user, blemishes, at: serverTime)
  }

  /// The new refresh token, whatever the rest is.
  var refreshToken: RefreshToken? {
    var members = ofUser
    return members.token("refresh_token").map(RefreshToken.init)
  }
}

extension Scope {
  /// The scopes that were requested and not granted.
  ///
  /// - Parameters:
  ///   - requested: The scope of the request.
  ///   - response: The answer; without a scope it grants the requested one (section 5.1).
  /// - Returns: The words, in the order of the request.
  package static func missing(of requested: String?, in response: TokenResponse) -> [String] {
    guard let scope = response.scope else { return [] }
    return missing(of: requested, among: words(scope)).filter { word in
      // A token is the better proof that these two were granted: some servers don't list them.
      if word == "offline_access", response.refreshToken != nil { return false }
      return word != "openid" || response.idToken == nil
    }
  }
}
