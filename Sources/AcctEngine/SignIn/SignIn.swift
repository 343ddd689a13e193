package import AcctModel
package import AcctPorts
package import AcctProtocol
import Release
package import Secrets

/// Signs in at an OAuth 2 server through the user's browser (RFC 6749, section 4.1; RFC 8252).
package struct SignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// The user's request.
  package struct Request: Sendable {
    /// The source of the issuer, for this sign-in and as the account records it.
    package var naming = Naming.user
    package var issuerSource = IssuerSource.given

    /// `nil` where ``settings`` name the endpoints instead.
    package var issuer: Issuer?
    package var clientID: String
    package var scope: String?
    package var resources: [ResourceIndicator]
    package var opensBrowser: Bool
    package var redirectPort: Int?
    /// The redirect address of the browser; `nil` for the usual one on ``redirectPort``.
    package var redirect: LoopbackRedirect?
    /// The longest wait for the callback, in seconds.
    package var callbackTimeout: Int64
    /// The settings of the client's requests, now and later.
    @Boxed package var settings: ClientSettings
    /// More parameters of the request that begins the sign-in.
    package var authorizationParameters: [RequestParameter]
    /// The client's secret.
    package var clientSecret: Secret?
    package var clientKey: ClientKey?
    /// The client's certificate for TLS, with its key; ``settings`` have what the account keeps of it.
    @Boxed package var certificate: CertifiedKey? = nil
    /// `true` to have the server register another client than the one that it registered before.
    package var registersAnew = false
    /// The access to the registration of a client that acct has registered.
    @Boxed var registrationAccess: RegistrationAccess? = nil
    /// The tokens of other issuers that it starts from, read for it.
    @Boxed var inputTokens = ReadTokens()
    /// The provider's rules for identifying the user, and the origins of the tokens.
    @Boxed package var identification = Identification()
    /// `true` if resource servers get the ID token as the bearer token.
    package var sendsIDToken = false
    /// The place of the DPoP key.
    @Boxed package var key = KeyRequest()
    /// Asks the user whether the browser showed this server and no other; `nil` if the user can't be asked.
    package var confirmHost: (@Sendable (Origin) -> Bool)?

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
  ///   - request: The user's request.
  ///   - report: Takes the prompts to show while it waits.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    var request = try await KnownClient(context).completed(request)
    let server = try await Discovery(context).server(of: request, using: [.authorization])
    let offered = request.completeScope(at: server, redacting: context.world.held.redactor)
    if !offered.isEmpty { report(.notices(offered)) }
    let defense = try MixUpDefense(request, at: server)
    let serverClient = try ServerClient(request, at: server)
    let key = try await server.newKey(request, context)
    if let prompt = defense.prompt { report(prompt) }
    let outcome = try await AuthorizationCodeFlow(context, client).run(
      .init(
        server: server,
        client: serverClient,
        clientID: request.clientID,
        scope: request.scope,
        resources: request.resources,
        key: key,
        opensBrowser: request.opensBrowser,
        redirect: request.redirect ?? .standard(port: request.redirectPort),
        more: request.authorizationParameters,
        callbackTimeout: request.callbackTimeout
      ),
      report: report,
      confirm: { () throws(EngineError) in try defense.confirm(by: request) }
    )
    let identify = IdentifyUser(context, server, serverClient, request)
    let idToken = try identify.checked(outcome.response, nonce: outcome.nonce)
    var credentials = NewCredentials(
      outcome.response,
      idToken,
      key: key,
      from: server,
      serverClient,
      request,
      now: context.world.clock.now()
    )
    credentials.notices = outcome.notices + credentials.notices
    return try await identify.identified(credentials, idToken)
  }
}

extension AuthorizationServer {
  /// Makes a key for new tokens, if the server can bind them to one and the user wants that.
  ///
  /// - Throws: ``KeyError/notOffered(_:)`` if the user wants one in a device, and those of ``KeyRequest``.
  func newKey(_ request: SignIn.Request, _ context: EngineContext) async throws(EngineError) -> DPoPKey? {
    guard namesDPoP && request.settings.usesDPoP else {
      guard !request.key.isForDevice else { throw .key(.notOffered(origin)) }
      return nil
    }
    return try await request.key.make(context) { account in
      account.tokenType == .dpop && account.identity.issuer == issuer
        && account.identity.clientID == request.clientID
        && (issuer != nil || account.service == origin)
    }
  }
}

/// A prompt to the user while a sign-in waits.
package enum SignInPrompt: Sendable {
  /// The browser has been opened at the server; it waits for the user there.
  case browserOpened(Origin)
  /// Notices to read before signing in.
  case notices([Notice])
  /// Only this server may be shown by the browser that will open.
  case signInOnlyAt(Origin)
  /// The address at which the user signs in; a browser is about to open it, if there is one.
  case address(String)
  /// No browser has opened it: where to paste the callback.
  case openYourself
  /// The wait for the user begins, for at most so many seconds.
  case waiting(AwaitedAction, seconds: Int64)
  /// The wait is over.
  case ended
  /// A key asks for the address, or the code, on the terminal's clipboard.
  case copy
  /// The address just shown is valid for so long; an empty line requests a new one, if there is a terminal.
  case addressEnds(seconds: Int64, canBeRenewed: Bool)
  /// The pasted text is not the callback.
  case wrongPaste
  /// The server may still accept the tokens of an identity that was not requested.
  case unwantedNotEnded(String, Notice.Cause)
  /// A browser is open, and the callback may have to be copied from there by hand.
  case pasteCallback
  /// A callback was ignored because of its caller; the wait continues.
  case callbackRefused(Callback.Caller)
  /// The browser came back without proof that this is the answer, with this error or with nothing; the wait continues.
  case callbackUnproven(AuthorizationResponse.Unproven?)
  /// A message of an annex, in its words.
  case told(String)
  /// The device flow's address and code.
  case device(DeviceFlow)
}

/// The action of the user that a sign-in waits for.
package enum AwaitedAction: Sendable {
  /// To sign in in the browser that opened.
  case browser
  /// To sign in anywhere, or to paste the callback.
  case paste
  /// To enter the code on any device.
  case device
}

extension SignIn.Request {
  /// The key under which the server's client is registered; `nil` if it can't be.
  var registrationPlace: String? {
    ClientBook.place(issuer, settings.endpoints)
  }

  /// `true` if its server has registered acct with a redirect path that no other server's client has.
  var hasOwnRedirect: Bool {
    guard settings.isRegistered, let registrationPlace else { return false }
    return redirect?.tail == LoopbackRedirect.registered(at: registrationPlace).tail
  }
}
