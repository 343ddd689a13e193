package import AcctModel
import AcctPorts
package import AcctProtocol
import StrictJSON

/// A sign-in at an OAuth 2 server that its issuer, its endpoints, a provider or a resource names.
package struct ServerSignIn: Sendable {
  private let context: EngineContext
  private let person: SignInPerson

  package init(_ context: EngineContext, _ person: SignInPerson) {
    self.context = context
    self.person = person
  }

  /// What the server is asked for.
  package struct Request: Sendable {
    package var server: SignIn.Request
    @Boxed package var provider: ResolvedProvider?
    /// The resource that names the server, if nothing else does (RFC 9728).
    package var resource: ResourceIndicator?
    /// `true` for a sign-in on another device (RFC 8628), whatever the provider prefers.
    package var usesDevice: Bool
    /// `true` for a sign-in in the browser, whatever the provider prefers.
    package var usesBrowser: Bool
    /// `true` for a grant that needs no person.
    package var isDirect: Bool
    /// The account's name, if the user chose one.
    package var accountName: String?

    package init(
      _ server: SignIn.Request,
      provider: ResolvedProvider?,
      resource: ResourceIndicator?,
      usesDevice: Bool,
      usesBrowser: Bool = false,
      isDirect: Bool,
      accountName: String?
    ) {
      self.server = server
      self.provider = provider
      self.resource = resource
      self.usesDevice = usesDevice
      self.usesBrowser = usesBrowser
      self.isDirect = isDirect
      self.accountName = accountName
    }

    /// `true` where the provider prefers a sign-in on another device, and the user has not asked for the browser.
    var prefersDevice: Bool { !usesBrowser && provider?.provider.flow == .device }
    /// `true` if no browser on this machine is needed.
    var mayUseDevice: Bool { usesDevice || prefersDevice }
  }

  /// Signs in, after a client has been found.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(_ way: Request) async throws(EngineError) -> NewCredentials {
    var request = way.server
    request.confirmHost = person.confirmHost
    let clients = ClientChoice(context)
    // The token says who asks: a client of its own is the server's to demand (RFC 7523, section 3.1; RFC 8693, section 2.1).
    let startsFromToken = request.settings.inputs.grantToken != nil
    if let provider = way.provider {
      try provider.requireSignIn()
      request.fill(from: provider)
      if !startsFromToken { try clients.name(&request, at: provider, usesDevice: way.mayUseDevice) }
    }
    try await person.prepareKeyring(context)
    if let resource = way.resource { try await discover(&request, from: resource) }
    if way.isDirect {
      guard !request.clientID.isEmpty || startsFromToken else { throw ClientChoice.missing(request) }
      return try await DirectSignIn(context).signIn(request)
    }
    let asked = request
    let isNew = try await clients.complete(&request, at: way.provider, usesDevice: way.mayUseDevice)
    do throws(EngineError) { return try await signIn(request, way) } catch {
      guard request.settings.isRegistered, error.refusesClient else { throw error }
      // A registration is a cache: its server may lose it.
      try await RegisterClient(context).drop(request)
      guard !isNew else { throw error }
      person.notify([.clientForgotten(request.clientID)])
    }
    request = asked
    _ = try await clients.complete(&request, at: way.provider, usesDevice: way.mayUseDevice)
    return try await signIn(request, way)
  }

  /// Signs in with the client that was found.
  private func signIn(_ request: SignIn.Request, _ way: Request) async throws(EngineError) -> NewCredentials {
    // Such a server wants the client's secret of a sign-in in the browser, and none on another device.
    let usesDevice = way.usesDevice || way.prefersDevice && request.clientSecret == nil
    guard usesDevice || person.hasBrowser else { throw .signIn(.browserNeeded) }
    var credentials =
      usesDevice
      ? try await DeviceSignIn(context).signIn(request, report: person.show)
      : try await SignIn(context).signIn(request, report: person.show)
    try AddAccount(context).identify(&credentials, named: way.accountName)
    return credentials
  }

  /// Takes the server from what the resource says of itself (RFC 9728), and the scope from its challenge, if the
  /// user names none.
  private func discover(_ request: inout SignIn.Request, from resource: ResourceIndicator) async throws(EngineError) {
    let found = try await ResourceDiscovery(context).find(resource)
    request.issuer = found.issuer
    request.scope = request.scope ?? found.scope
    request.naming = found.naming
    request.issuerSource = .resource
    if request.scope == nil, !found.offered.isEmpty {
      person.notify([.scopesOffered(Array(found.offered.prefix(20)), resource.origin)])
    }
  }
}

extension EngineError {
  /// `true` if a server refuses the client of a sign-in, at one of its endpoints or in the redirect.
  fileprivate var refusesClient: Bool {
    if case .signIn(.requestRefused(let refusal)) = self { return refusal.part.isClient }
    guard case .signIn(.refused(let code, _)) = self else { return false }
    return RefusedPart(rawValue: code)?.isClient ?? false
  }
}

extension ResolvedProvider {
  /// Refuses a provider whose accounts have no sign-in.
  ///
  /// - Throws: ``ProviderError/appPassword(title:makeAt:_:)``.
  package func requireSignIn() throws(EngineError) {
    guard provider.kind == .appPassword else { return }
    throw .provider(.appPassword(title: provider.title ?? typed, makeAt: registerAt, origins.first))
  }
}

/// Signs in on another device (RFC 8628): shows a code, and polls until the user has entered it.
package struct DeviceSignIn: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// Signs in.
  ///
  /// - Parameters:
  ///   - request: The user's request.
  ///   - report: Takes the prompts to show.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(
    _ request: SignIn.Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    var request = try await KnownClient(context).completed(request)
    let server = try await Discovery(context).server(of: request, using: [.deviceAuthorization])
    let offered = request.completeScope(at: server, redacting: context.world.held.redactor)
    if !offered.isEmpty { report(.notices(offered)) }
    guard let endpoint = server.deviceEndpoint else { throw .server(.oauth(.unsupported(.deviceCode), server.origin)) }
    let serverClient = try ServerClient(request, at: server)
    let key = try await server.newKey(request, context)
    let asked = RequestRefusal.Asked(serverClient, request.scope, request.resources)
    let flow: DeviceFlow
    do throws(EngineError) {
      flow = try await start(request, at: endpoint, of: server, by: serverClient)
    } catch { throw error.refusing(asked) }
    let polling = Task { await poll(flow, serverClient, server, key, for: request.resources.first) }
    // Watched before anything is shown to the user: Ctrl-C may be the reaction to it.
    let watch = context.world.signals.watch { polling.cancel() }
    defer { watch.release() }
    report(.device(flow))
    report(.waiting(.device, seconds: flow.secondsLeft(at: context.world.clock.now())))
    let keys = Task { () -> Void? in await context.passKeys(to: report) }
    let outcome = await polling.value
    keys.cancel()
    // By then the terminal is as it was.
    _ = await keys.value
    report(.ended)
    let response = try outcome.mapError { $0.refusing(asked) }.get()
    let identify = IdentifyUser(context, server, serverClient, request)
    let idToken = try identify.checked(response, nonce: nil)
    let credentials = NewCredentials(
      response,
      idToken,
      key: key,
      from: server,
      serverClient,
      request,
      now: context.world.clock.now()
    )
    return try await identify.identified(credentials, idToken)
  }

  private func start(
    _ request: SignIn.Request,
    at endpoint: HTTPURL,
    of server: AuthorizationServer,
    by serverClient: ServerClient
  ) async throws(EngineError) -> DeviceFlow {
    var form = FormBody()
    form.add("client_id", request.clientID)
    form.add("scope", request.scope)
    for resource in request.resources { form.add("resource", resource.description) }
    form.add(request.authorizationParameters)
    let response = try await client.send(form, to: endpoint, of: server, by: serverClient)
    let origin = endpoint.origin
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    guard !answer.isError, let grant = answer.grant else { throw EngineError(answer.noAnswer, origin) }
    do {
      let flow = try DeviceFlow(grant, receivedAt: context.world.clock.now())
      client.tell(of: flow.blemishes, in: origin)
      return flow
    } catch {
      throw .server(.oauth(error, origin))
    }
  }

  private func poll(
    _ flow: DeviceFlow,
    _ serverClient: ServerClient,
    _ server: AuthorizationServer,
    _ key: DPoPKey?,
    for resource: ResourceIndicator?
  ) async -> Result<TokenResponse, EngineError> {
    var flow = flow
    let endpoint = TokenEndpoint(of: server, by: serverClient, client)
    let origin = server.tokenEndpoint.origin
    while await context.world.clock.sleep(flow.interval) {
      let step: DeviceFlow.Step
      do throws(EngineError) {
        let question = GrantForm(flow.question(clientID: serverClient.formID, resource: resource))
        let answer = try await endpoint.ask(question, key: key)
        answer.learn()
        step = flow.take(answer.outcome, at: context.world.clock.now())
      } catch .network(.http(let failure, _)) where failure != .cancelled {
        // A missing answer is no rejection: polling continues for the lifetime of the code (section 3.5).
        guard !flow.isOver(at: context.world.clock.now()) else { return .failure(.network(.http(failure, origin))) }
        continue
      } catch {
        return .failure(error)
      }
      switch step {
      case .wait: continue
      case .granted(let response): return .success(response)
      case .denied(let code, let description): return .failure(.signIn(.refused(code: code, description: description)))
      case .expired: return .failure(.signIn(.deviceCodeExpired))
      case .failed(let error): return .failure(.server(.oauth(error, origin)))
      }
    }
    return .failure(.cancelled)
  }
}

/// Obtains tokens without a person: by the client's own authentication (RFC 6749, section 4.4), by a JWT that its key
/// signs or that a file has (RFC 7523, section 2.1), or by a token of another issuer (RFC 8693).
package struct DirectSignIn: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Requests tokens.
  ///
  /// - Parameter request: The user's request.
  /// - Returns: Credentials that are not stored yet; a renewal makes the same request again.
  /// - Throws: ``EngineError``; nothing is left behind.
  package func signIn(_ request: SignIn.Request) async throws(EngineError) -> NewCredentials {
    var request = try await KnownClient(context).completed(request)
    request.inputTokens = try await GrantToken(context).read(request.settings, of: request.issuer)
    let server = try await Discovery(context).server(of: request, using: [])
    let client = try ServerClient(request, at: server)
    let key = try await server.newKey(request, context)
    let form = GrantForm(direct: request.scope, request.resources, of: server, by: client)
    let response: TokenResponse
    do throws(EngineError) {
      response = try await TokenEndpoint(of: server, by: client, context.client).grant(form, key: key)
    } catch {
      throw error.refusing(.init(client, request.scope, request.resources))
    }
    var credentials = NewCredentials(response, key: key, from: server, client, request, now: context.world.clock.now())
    credentials.idToken = try? response.idToken?.get()
    credentials.subjectStatements.idToken = response.idTokenSubject
    return credentials
  }
}

/// Finds the secret, key or certificate of a client in an account that it signed in to.
struct KnownClient: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Adds the secret or the key that the same client used before, if the user gives neither, and its certificate, if
  /// the user gives none; reads its assertion.
  ///
  /// The same client has the same identifier at the same issuer, with the same endpoints: a secret from a server is
  /// sent nowhere else.
  ///
  /// - Parameter request: The user's request.
  /// - Returns: The request, completed if an account has what is missing; without a note of a certificate that is not
  ///   there.
  /// - Throws: ``EngineError`` if the keyring gives no answer.
  func completed(_ request: SignIn.Request) async throws(EngineError) -> SignIn.Request {
    var request = request
    request.inputTokens.client = try InputTokens(context).client(request.settings).client
    if request.certificate == nil { request.settings.certificate = nil }
    let needsSecret =
      request.clientSecret == nil && request.clientKey == nil
      && request.inputTokens.client == nil && request.settings.authentication != ClientAuthentication.none
    guard !request.clientID.isEmpty, needsSecret || request.certificate == nil else { return request }
    for account in try context.accountStore.listing().accounts where isSame(account, request) {
      let note = request.certificate == nil ? account.client.certificate : nil
      guard needsSecret || note != nil else { continue }
      let credentials: Credentials
      do throws(EngineError) {
        credentials = try await CredentialStore(of: account, in: context).readClient(account.client.itemKinds)
      } catch .keyring(.failed(.locked(_, openedBy: .part), _)) {
        // It is out of reach, perhaps for good; another account or the user may have it.
        continue
      }
      let hasSecret = needsSecret && (credentials.clientSecret != nil || credentials.clientKey != nil)
      guard hasSecret || note != nil && credentials.certificate != nil else { continue }
      if hasSecret {
        request.clientSecret = credentials.clientSecret
        request.clientKey = credentials.clientKey
      }
      if var note, let certificate = credentials.certificate {
        note.isBound = false
        request.settings.certificate = note
        request.certificate = certificate
      }
      if request.settings.authentication == nil { request.settings.authentication = account.client.authentication }
      return request
    }
    return request
  }

  /// The access to the registration of a client, from an account that signed in with it.
  ///
  /// - Parameters:
  ///   - clientID: The client, which acct has registered.
  ///   - place: Its server's key in the book of clients.
  /// - Returns: The access; `nil` where no account has any.
  /// - Throws: ``EngineError`` if the accounts can't be listed.
  func access(to clientID: String, at place: String) async throws(EngineError) -> RegistrationAccess? {
    for account in try context.accountStore.listing().accounts {
      guard let client = account.registeredClient, client.id == clientID, client.places.contains(place) else {
        continue
      }
      // A keyring that does not open hinders no other account's sign-in, which goes on without the access.
      let access = try? await CredentialStore(of: account, in: context).registrationAccess()
      if let access { return access }
    }
    return nil
  }

  private func isSame(_ account: Account, _ request: SignIn.Request) -> Bool {
    guard account.kind == .oauth, account.identity.clientID == request.clientID,
      !account.client.itemKinds.isEmpty, account.client.endpoints == request.settings.endpoints
    else { return false }
    // Without an issuer the server is known only by its endpoints, and the account's are the same. The account may
    // have its issuer from an ID token.
    guard let issuer = request.issuer else { return request.settings.endpoints[.token] != nil }
    guard let known = account.identity.issuer else { return false }
    // The document decides whether it ends with a slash, which people leave out.
    return issuer.url == known.url || "\(issuer)/" == "\(known)" || "\(issuer)" == "\(known)/"
  }
}

extension ClientSettings {
  /// The items that the client's authentication and its grant need.
  var itemKinds: [ItemKind] {
    var kinds: [ItemKind] =
      switch authentication {
      case .basic, .post: [.clientSecret]
      case .privateKey: [.clientKey]
      case .tls, .some(.none), .assertionFile, nil: []
      }
    if grant == .jwtBearer, inputs.grantToken == nil, !kinds.contains(.clientKey) { kinds.append(.clientKey) }
    if certificate != nil { kinds += [.certificate, .certificateKey] }
    return kinds
  }
}
