import AcctModel
import AcctProtocol
import Release

extension NewCredentials {
  /// The credentials that a token endpoint granted, with a verified ID token, if there is one.
  init(
    _ response: TokenResponse,
    _ idToken: IDToken? = nil,
    key: DPoPKey?,
    from server: AuthorizationServer,
    _ client: ServerClient,
    _ request: SignIn.Request,
    now: Timestamp
  ) {
    let clientID = request.clientID.isEmpty ? nil : request.clientID
    let origins = request.resources.map(\.origin)
    let own =
      origins.isEmpty
      ? OwnOrigins([server.origin], for: .signIn) : OwnOrigins(origins, for: .resource)
    let isDirect = request.settings.grant.renewsItself
    // Without a subject, a new sign-in could not find the account: opaque tokens name none. Without a person, the
    // client is the subject, unless it acts for one.
    let subject =
      isDirect
      ? client.directSubject(response)
      : response.subject ?? idToken?.subject
    self.init(
      kind: .oauth,
      tokenType: response.tokenType,
      identity: Identity(subject: subject, issuer: server.issuer, clientID: clientID),
      subjectStatements: SubjectStatements(idToken: idToken?.subject),
      source: .issuer,
      issuerSource: server.issuer == nil ? nil : request.issuerSource,
      service: own.first,
      origins: own,
      // Each renewal of a grant without a person makes the same request.
      scope: isDirect ? request.scope : response.scope ?? request.scope,
      resources: request.resources,
      client: client.remembered,
      tokenLifetime: response.tokenLifetime(from: now, canRenew: isDirect || response.refreshToken != nil),
      sessionEndsAt: isDirect ? nil : response.sessionEnd(from: now),
      validatedAt: now,
      token: response.accessToken,
      refreshToken: isDirect ? nil : response.refreshToken,
      // A server may send one that was not asked for; it identifies the user, and is not kept.
      idToken: Scope.words(request.scope).contains("openid") ? idToken : nil,
      key: response.tokenType == .dpop ? key : nil,
      isKeyChosen: request.key.place != nil || !request.settings.usesDPoP,
      clientSecret: request.clientSecret,
      clientKey: request.clientKey,
      certificate: request.certificate,
      registrationAccess: request.registrationAccess,
      notices: response.blemishes.compactMap(Notice.init)
        + (idToken == nil && response.hasUnreadableIDToken ? [.idTokenDropped] : [])
        + Notice.lacking(response, requested: request.scope, for: request.resources, isDirect: isDirect)
        + (isDirect ? [] : Notice.resourcesApart(request.resources, in: response))
    )
    // An opaque token does not tell; a server that can bind it does so on a connection with a certificate.
    let mayBeBound = response.tokenType == .bearer && server.bindsTokensToCertificates
    self.client.certificate?.isBound = response.isCertificateBound ?? mayBeBound
    var settings = SignInSettings(knowing: server)
    settings.scope = request.scope
    signIn = settings
  }
}

extension SignInSettings {
  /// Takes from a server's metadata the facts that a renewal needs.
  init(knowing server: AuthorizationServer) {
    self.init()
    let endpoint = server.tokenEndpoint
    if server.issuer != nil, !server.isGiven(endpoint) { tokenEndpoint = endpoint.description }
  }
}

extension Notice {
  /// A notice about tokens for several resources, if there is more than one.
  fileprivate static func resourcesApart(_ resources: [ResourceIndicator], in response: TokenResponse) -> [Notice] {
    guard resources.count > 1 else { return [] }
    return [.resourcesApart(resources[0], others: Array(resources.dropFirst()), areHad: response.refreshToken != nil)]
  }

  /// Notices about requested scopes that are missing from the response.
  ///
  /// Of several resources the response is about the first: what it lacks may be another one's, and no answer has denied
  /// that.
  static func lacking(
    _ response: TokenResponse,
    requested scope: String?,
    for resources: [ResourceIndicator] = [],
    isDirect: Bool = false
  ) -> [Notice] {
    var missing = resources.count > 1 && !isDirect ? [] : Scope.missing(of: scope, in: response)
    var notices: [Notice] = []
    if Scope.words(scope).contains("offline_access"), response.refreshToken == nil, !isDirect {
      missing.removeAll { $0 == "offline_access" }
      notices.append(.noRefreshToken)
    }
    if !missing.isEmpty { notices.append(.scopeNotGranted(missing)) }
    return notices
  }
}

extension ServerClient {
  /// The client of a sign-in.
  ///
  /// - Throws: ``SignInError/clientSecretNeeded(_:_:)`` if the secret or key that its method needs was not given.
  convenience init(_ request: SignIn.Request, at server: AuthorizationServer) throws(EngineError) {
    self.init(
      id: request.clientID.isEmpty ? nil : request.clientID,
      request.settings,
      secret: request.clientSecret,
      key: request.clientKey,
      certificate: request.certificate,
      tokens: request.inputTokens,
      at: server
    )
    guard isComplete else { throw .signIn(.clientSecretNeeded(request.settings.grant, method)) }
    if request.settings.grant == .clientCredentials, method == .none, request.settings.authentication == nil {
      throw .signIn(.clientSecretNeeded(request.settings.grant, method))
    }
  }

  /// The subject of tokens that the client obtains without a person.
  fileprivate func directSubject(_ response: TokenResponse) -> String? {
    if signsGrant { return settings.tokenParameters.last { $0.name == "sub" }?.value ?? id }
    guard let token = tokens.grant.flatMap({ try? Token($0) }) else { return id }
    return response.subject ?? JWT.subject(of: token) ?? id
  }
}
