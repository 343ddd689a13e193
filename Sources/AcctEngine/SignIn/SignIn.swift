package import AcctModel
package import AcctPorts
package import AcctProtocol

/// Signs in at an OAuth 2 server through the user's browser (RFC 6749, section 4.1; RFC 8252).
package struct SignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// What the user asked for.
  package struct Request: Sendable {
    /// Who named the issuer, and how the account remembers that.
    package var naming = Naming.user
    package var issuerSource = IssuerSource.given

    /// `nil` where ``settings`` name the endpoints instead.
    package var issuer: Issuer?
    package var clientID: String
    package var scope: String?
    package var resources: [ResourceIndicator]
    package var opensBrowser: Bool
    package var redirectPort: Int?
    /// Where the browser comes back to; `nil` for the usual address on ``redirectPort``.
    package var redirect: LoopbackRedirect?
    /// How long the callback may take, in seconds.
    package var callbackTimeout: Int64
    /// How the client asks its server, now and later.
    package var settings: ClientSettings
    /// More parameters of the request that begins the sign-in.
    package var authorizationParameters: [RequestParameter]
    /// What the client authenticates itself with.
    package var clientSecret: Secret?
    package var clientKey: ClientKey?

    package init(
      issuer: Issuer?,
      clientID: String,
      scope: String?,
      resources: [ResourceIndicator],
      opensBrowser: Bool,
      redirectPort: Int?,
      redirect: LoopbackRedirect? = nil,
      callbackTimeout: Int64,
      settings: ClientSettings = .standard,
      authorizationParameters: [RequestParameter] = [],
      clientSecret: Secret? = nil,
      clientKey: ClientKey? = nil
    ) {
      self.issuer = issuer
      self.clientID = clientID
      self.scope = scope
      self.resources = resources
      self.opensBrowser = opensBrowser
      self.redirectPort = redirectPort
      self.redirect = redirect
      self.callbackTimeout = callbackTimeout
      self.settings = settings
      self.authorizationParameters = authorizationParameters
      self.clientSecret = clientSecret
      self.clientKey = clientKey
    }
  }

  /// Signs in.
  ///
  /// - Parameters:
  ///   - request: What the user asked for.
  ///   - report: Takes what the user must see while it waits.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    let server = try await Discovery(context).server(of: request, using: [.authorization])
    let key = try server.newKey()
    let outcome = try await AuthorizationCodeFlow(context.world, client).run(
      .init(
        server: server,
        clientID: request.clientID,
        scope: request.scope,
        resources: request.resources,
        key: key,
        opensBrowser: request.opensBrowser,
        redirectPort: request.redirectPort,
        callbackTimeout: request.callbackTimeout
      ),
      report: report
    )
    var credentials = NewCredentials(
      outcome.response,
      key: key,
      issuer: server.issuer,
      request,
      nonce: outcome.nonce,
      now: context.world.clock.now()
    )
    credentials.notices = outcome.notices + credentials.notices
    return credentials
  }
}

extension AuthorizationServer {
  /// Makes a key for new tokens, where the server can bind them to one.
  ///
  /// - Throws: ``KeyError/generation``.
  func newKey() throws(EngineError) -> DPoPKey? {
    guard namesDPoP else { return nil }
    do { return try DPoPKey.generate() } catch { throw .key(.generation) }
  }
}

/// What the user must see while a sign-in waits.
package enum SignInPrompt: Sendable {
  /// The browser has been opened at the server; it waits for the user there.
  case browserOpened(Origin)
  /// No browser: the address, and where to paste the callback.
  case openYourself(address: String)
  /// The pasted text is not the callback.
  case wrongPaste
  /// A browser is open, and the callback may have to be brought from there by hand.
  case pasteCallback
  /// The pasted text is not the callback of a backend, and why.
  case wrongCallback(CallbackFlaw)
  /// A callback was ignored because of its caller; the wait continues.
  case callbackRefused(Callback.Caller)
  /// The desktop can't deliver addresses of this scheme.
  case schemeNotRegistered(String, SchemeHandlerFailure)
  /// The backend could not confirm the callback's contents.
  case notConfirmed(EngineError)
  /// The device flow's address and code.
  case device(DeviceFlow)
}

extension NewCredentials {
  /// What a token endpoint granted.
  init(
    _ response: TokenResponse,
    key: DPoPKey?,
    issuer: Issuer,
    _ request: SignIn.Request,
    nonce: String?,
    now: Timestamp
  ) {
    let clientID = request.clientID
    let origins = request.resources.map(\.origin)
    let own =
      origins.isEmpty
      ? OwnOrigins([issuer.url.origin], for: .signIn) : OwnOrigins(origins, for: .resource)
    // Without a subject, a new sign-in could not find the account: opaque tokens name none.
    let subject =
      response.subject
      ?? response.idToken?.subject(from: issuer, for: clientID, repeating: nonce)
    self.init(
      kind: .oauth,
      tokenType: response.tokenType,
      identity: Identity(subject: subject, issuer: issuer, clientID: clientID),
      source: .issuer,
      issuerSource: request.issuerSource,
      service: own.first,
      origins: own,
      scope: response.scope ?? request.scope,
      resources: request.resources,
      client: request.settings,
      tokenLifetime: response.tokenLifetime(from: now, canRenew: response.refreshToken != nil),
      validatedAt: now,
      token: response.accessToken,
      refreshToken: response.refreshToken,
      key: response.tokenType == .dpop ? key : nil,
      clientSecret: request.clientSecret,
      clientKey: request.clientKey,
      notices: Notice.lacking(response, requested: request.scope)
    )
  }
}

extension Notice {
  /// What was requested and is not in the answer.
  static func lacking(_ response: TokenResponse, requested scope: String?) -> [Notice] {
    var missing = Scope.missing(of: scope, in: response)
    var notices: [Notice] = []
    if Scope.words(scope).contains("offline_access"), response.refreshToken == nil {
      missing.removeAll { $0 == "offline_access" }
      notices.append(.noRefreshToken)
    }
    if !missing.isEmpty { notices.append(.scopeNotGranted(missing)) }
    return notices
  }
}
