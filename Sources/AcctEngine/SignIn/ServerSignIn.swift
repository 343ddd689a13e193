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

  /// The request of a sign-in, as the user has chosen it.
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

  /// Asks a server for its metadata.
  ///
  /// - Throws: ``NetworkError/http(_:_:)``, ``ServerError/oauth(_:_:)``.
  package static func meet(_ issuer: Issuer, _ context: EngineContext) async throws(EngineError) {
    _ = try await Discovery(context).server(issuer, named: .user)
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
    try await person.prepareKeyring(context) { [request] () throws(EngineError) in
      if request.issuer != nil { _ = try await Discovery(context).server(of: request, using: []) }
    }
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
  /// - Throws: ``ProviderError/appPassword(title:makeAt:_:)``, ``ProviderKeyError/noSignIn(title:typed:)``.
  package func requireSignIn() throws(EngineError) {
    switch provider.kind {
    case .oauth: return
    case .appPassword: throw .provider(.appPassword(title: title, makeAt: registerAt, origins.first))
    case .key: throw .provider(.key(.noSignIn(title: title, typed: typed)))
    }
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
