package import AcctModel
import Secrets
package import StrictJSON

/// A successful answer of a token endpoint (RFC 6749, section 5.1).
package struct TokenResponse: Sendable {
  package let accessToken: Token
  package let refreshToken: Token?
  package let tokenType: Account.TokenType
  /// Seconds.
  package let lifetime: Int64?
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
  /// `true` if it is bound to the client's certificate, `false` if it is not; `nil` where it does not tell.
  package let isCertificateBound: Bool?

  /// Reads the answer.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  ///   - certificate: The certificate on whose connection it was requested, if there was one.
  ///   - requestedType: The type that an exchange asked for: that of a token whose answer does not name it.
  ///   - shown: Takes secrets out of text that people will read.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``, ``OAuthError/tokenType(_:)``.
  package init(
    _ json: JSON,
    boundTo key: String?,
    certificate: ClientCertificate? = nil,
    requesting requestedType: TokenTypeURI? = nil,
    showing shown: (String) -> String
  ) throws(OAuthError) {
    guard let body = json.objectValue else { throw .malformedAnswer(member: "body") }
    // Slack puts the user's own token beside that of an app's bot, which acct does not ask for.
    let answer = body["access_token"] == nil ? body["authed_user"]?.objectValue ?? body : body
    func string(_ name: String) throws(OAuthError) -> String? {
      guard let value = answer[name], value != .null else { return nil }
      guard let text = value.stringValue else { throw .malformedAnswer(member: name) }
      return text
    }
    func token(_ name: String) throws(OAuthError) -> Token? {
      guard let text = try string(name) else { return nil }
      do { return try Token(text) } catch { throw .malformedAnswer(member: name) }
    }
    guard let accessToken = try token("access_token") else { throw .malformedAnswer(member: "access_token") }
    let claims: TokenClaims
    do { claims = try TokenClaims(of: accessToken) } catch { throw .malformedAnswer(member: "access_token") }
    let type = try string("token_type") ?? "Bearer"
    var issuedType = requestedType
    if let text = try string("issued_token_type") {
      do { issuedType = try TokenTypeURI(text) } catch { throw .malformedAnswer(member: "issued_token_type") }
    }
    // In the answer to an exchange (RFC 8693, section 2.2.1), where a token may be of no use to resource servers.
    let isSent = issuedType?.mayBeBearer ?? true
    switch type.lowercased() {
    case _ where issuedType == .refreshToken: throw .tokenType(shown(type))
    case "n_a" where issuedType != nil, "bearer" where !isSent, "dpop" where !isSent, "user" where !isSent:
      tokenType = .none
    case "dpop" where key != nil: tokenType = .dpop
    // The second is Slack's name for a user's bearer token.
    case "bearer" where !claims.isBoundToKey, "user" where !claims.isBoundToKey: tokenType = .bearer
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
    refreshToken = try token("refresh_token")
    scope = try string("scope").map(shown)
    statedSubject = try string("sub")
    subject = statedSubject ?? claims.subject
    idToken = Self.idToken(answer["id_token"])
    resourceServer = claims.resourceServer
    expiry = claims.expiry
    // An unusable lifetime counts as none: the token is good, and its own `exp` may tell.
    lifetime = answer["expires_in"]?.looseNumber.flatMap { abs($0) < 1e15 ? Int64($0.rounded(.down)) : nil }
  }

  private static func idToken(_ member: JSON?) -> Result<IDToken, IDToken.Flaw>? {
    guard let member, member != .null else { return nil }
    return Result { () throws(IDToken.Flaw) in
      guard let text = member.stringValue else { throw .unreadable }
      return try IDToken(Secret(text))
    }
  }

  /// The lease that begins now.
  ///
  /// - Parameters:
  ///   - now: When the answer came.
  ///   - canRenew: `true` if there is a refresh token, this one's or an earlier one's.
  /// - Returns: The lease. Where neither the server nor the token tells, an hour if there is a refresh
  ///   token, else no known end: such tokens are valid until the server rejects them.
  package func tokenLifetime(from now: Timestamp, canRenew: Bool) -> TokenLifetime {
    TokenLifetime(
      expiresAt: lifetime.map(now.adding) ?? expiry ?? (canRenew ? now.adding(seconds: 3600) : nil),
      lifetime: lifetime ?? expiry?.seconds(since: now),
      canRenew: canRenew
    )
  }
}

/// The meaning of an answer to a refresh: of all answers, only `invalid_grant` ends a session.
package enum TokenOutcome: Sendable {
  case granted(TokenResponse)
  /// The server's own `invalid_grant`: the session is over.
  case ended(description: String?)
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
    switch (answer.status, answer.object) {
    case (200, let object?) where !isError:
      do {
        self = .granted(
          try TokenResponse(
            .object(object),
            boundTo: key,
            certificate: certificate,
            requesting: requestedType,
            showing: answer.shown
          )
        )
      } catch {
        self = .unanswered(.failed(error))
      }
    case (200, _) where answer.errorCode == "invalid_grant",
      (400..<500, _) where answer.status != 429 && answer.errorCode == "invalid_grant":
      self = .ended(description: answer.description)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  /// The outcome for an account whose tokens are of `type`: tokens of another type are an error.
  ///
  /// The server decides the type with each answer (RFC 6749, section 5.1). A bound account that is
  /// answered `Bearer` can't keep that token as a bound one, and never becomes a bearer account by
  /// itself: its tokens would lose the protection of the key unseen.
  package func requiring(_ type: Account.TokenType) -> TokenOutcome {
    guard case .granted(let response) = self, response.tokenType != type else { return self }
    return .unanswered(.failed(.tokenType(response.tokenType.rawValue)))
  }
}
