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
    var authentication: ClientAuthentication
    /// The scope to register: the user's, or the one that is requested by default.
    var scope: String?
  }

  func place(of request: SignIn.Request, _ words: ProviderError.Registration) async throws(EngineError) -> Place {
    if let endpoint = request.settings.endpoints[.registration] {
      return Place(
        endpoint: endpoint,
        reach: .anywhere,
        usesDeviceFlow: request.settings.endpoints[.deviceAuthorization] != nil,
        authentication: request.settings.authentication ?? .none,
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
    let registration = ClientRegistration(
      redirects: [redirect?.registered, request.address(port: nil).textWithoutPort].compactMap(\.self),
      scope: request.scope,
      usesDeviceFlow: place.usesDeviceFlow,
      authentication: place.authentication
    )
    let response = try await context.client.send(message(registration, style, to: place))
    let origin = place.endpoint.origin
    let answer = try answer(response, origin, words)
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
        scope: request.scope,
        secretExpiresAt: client.secretExpiresAt
      ),
      secret: client.secret
    )
  }

  private func message(
    _ registration: ClientRegistration,
    _ style: Provider.RegistrationStyle,
    to place: Place
  ) -> HTTPRequest {
    let (type, body) =
      switch style {
      case .rfc7591, .never: ("application/json", Secret(registration.json.serialized()))
      case .mastodon: (FormBody.mediaType, registration.mastodonForm.secret())
      }
    return HTTPRequest(
      method: "POST",
      url: place.endpoint,
      fields: [("Content-Type", Secret(type)), ("Accept", Secret("application/json"))],
      body: body,
      timeout: context.timeout,
      reach: place.reach
    )
  }

  private func answer(
    _ response: HTTPResponse,
    _ origin: Origin,
    _ words: ProviderError.Registration
  ) throws(EngineError) -> GrantMembers {
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    if let grant = answer.grant { return grant }
    // It registers only clients that it knows, or no longer any.
    if [401, 403, 404].contains(response.status) { throw .provider(.clientNeeded(words)) }
    let noAnswer = answer.noAnswer
    if case .failed(let reason) = noAnswer, (400..<500).contains(response.status) {
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
  /// every form.
  fileprivate var registrableAuthentication: ClientAuthentication {
    guard let methods = clientAuthenticationMethods, !methods.contains("none") else { return .none }
    return [.post, .basic].first { methods.contains($0.registeredName) } ?? .none
  }
}
