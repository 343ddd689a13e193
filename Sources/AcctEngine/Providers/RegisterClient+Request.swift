import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON

/// The request of a registration, and its answer.
extension RegisterClient {
  /// The registration endpoint with its reach, and the server's capabilities.
  struct Place: Sendable {
    var endpoint: HTTPURL
    var reach: Reach
    var usesDeviceFlow: Bool
    /// The methods to ask for; each next one if the server refuses the one before.
    var authentication: [ClientAuthentication]
    /// The algorithm of ID tokens to ask for, unless it is the usual one.
    var idTokenAlgorithm: String?
    /// The origins that a registration's own address may be at.
    var origins: [Origin]
    /// The scope to register: the user's, or the one that is requested by default.
    var scope: String?
  }

  func place(of request: SignIn.Request, _ words: ProviderError.Registration) async throws(EngineError) -> Place {
    if let endpoint = request.settings.endpoints[.registration] {
      return Place(
        endpoint: endpoint,
        reach: .anywhere,
        usesDeviceFlow: request.settings.endpoints[.deviceAuthorization] != nil,
        authentication: [request.settings.authentication ?? .none],
        origins: [endpoint.origin, request.issuer?.url.origin].compactMap(\.self),
        scope: request.scope
      )
    }
    let server = try await Discovery(context).server(of: request, using: [.registration])
    guard let endpoint = server.registrationEndpoint else { throw .provider(.clientNeeded(words)) }
    return Place(
      endpoint: endpoint,
      reach: try server.naming.checkedReach(to: endpoint.origin),
      usesDeviceFlow: server.deviceEndpoint != nil,
      authentication: server.registrableAuthentication,
      idTokenAlgorithm: server.idTokenAlgorithm,
      origins: [endpoint.origin, server.origin],
      scope: request.defaultScope(at: server)
    )
  }

  func ask(
    _ request: SignIn.Request,
    at place: Place,
    _ style: Provider.RegistrationStyle,
    _ redirect: LoopbackRedirect?,
    _ words: ProviderError.Registration
  ) async throws(EngineError) -> UsableClient {
    var methods = place.authentication[...]
    let origin = place.endpoint.origin
    while true {
      let registration = ClientRegistration(
        redirects: [redirect?.registered, request.address(port: nil).textWithoutPort].compactMap(\.self),
        scope: request.scope,
        usesDeviceFlow: place.usesDeviceFlow,
        authentication: methods.popFirst() ?? .none,
        idTokenAlgorithm: place.idTokenAlgorithm
      )
      let response = try await context.client.send(message(registration, style, to: place))
      let answer = ServerAnswer(response, redacting: context.world.held.redactor)
      if answer.refusesMetadata, !methods.isEmpty { continue }
      return try client(try grant(answer, origin, words), registration, at: place, style, redirect)
    }
  }

  private func client(
    _ answer: GrantMembers,
    _ registration: ClientRegistration,
    at place: Place,
    _ style: Provider.RegistrationStyle,
    _ redirect: LoopbackRedirect?
  ) throws(EngineError) -> UsableClient {
    let origin = place.endpoint.origin
    let client: RegisteredClient
    do {
      client = try RegisteredClient(answer, to: registration, fallback: style == .mastodon ? .post : .basic)
    } catch {
      throw .server(.oauth(error, origin))
    }
    context.client.tell(of: client.blemishes, in: origin)
    return UsableClient(
      client: ClientBook.Registered(
        clientID: client.clientID,
        authentication: client.authentication,
        redirect: redirect,
        scope: registration.scope,
        secretExpiresAt: client.secretExpiresAt
      ),
      secret: client.secret,
      // A server can have no other's address called.
      access: client.access.flatMap { place.origins.contains($0.url.origin) ? $0 : nil },
      isNew: true
    )
  }

  private func message(
    _ registration: ClientRegistration,
    _ style: Provider.RegistrationStyle,
    to place: Place
  ) -> HTTPRequest {
    let (type, body) =
      switch style {
      case .rfc7591, .never: ("application/json", registration.json.serialized())
      case .mastodon: (FormBody.mediaType, Array(registration.mastodonForm.text.utf8))
      }
    return HTTPRequest(
      method: "POST",
      url: place.endpoint,
      fields: [("Content-Type", type), ("Accept", "application/json")],
      body: body,
      timeout: context.timeout,
      reach: place.reach
    )
  }

  private func grant(
    _ answer: ServerAnswer,
    _ origin: Origin,
    _ words: ProviderError.Registration
  ) throws(EngineError) -> GrantMembers {
    if let grant = answer.grant { return grant }
    // It registers only clients that it knows, or no longer any.
    if [401, 403, 404].contains(answer.status) { throw .provider(.clientNeeded(words)) }
    let noAnswer = answer.noAnswer
    // Whatever it is, such as a page for a person, the user can register a client there.
    if case .failed(let reason) = noAnswer {
      throw .provider(.notRegistered(origin, reason, words))
    }
    throw EngineError(noAnswer, origin)
  }
}

extension AuthorizationServer {
  /// The registered authentication of a client on a user's own machine: without a secret, unless the server supports
  /// only clients with one.
  ///
  /// The form is preferred to Basic: with Basic, acct's requests have no `client_id`, which some servers require in
  /// every form. A server that names no method has Basic (RFC 8414, section 2); some such take public clients alone.
  fileprivate var registrableAuthentication: [ClientAuthentication] {
    guard let methods = clientAuthenticationMethods else { return [.basic, .none] }
    guard !methods.contains("none") else { return [.none] }
    return [[.post, .basic].first { methods.contains($0.registeredName) } ?? .none]
  }

  /// The algorithm to register for ID tokens; `nil` for RS256, the default (OpenID Connect Registration 1.0, section 2).
  fileprivate var idTokenAlgorithm: String? {
    guard !idTokenAlgorithms.contains("RS256") else { return nil }
    let signing = idTokenAlgorithms.filter { $0.lowercased() != "none" && Scope.isWellFormed($0) }
    return signing.contains("ES256") ? "ES256" : signing.first
  }
}
