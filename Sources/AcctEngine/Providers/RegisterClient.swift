import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Lets a server register acct as a client of this user's (RFC 7591), once for each server.
struct RegisterClient: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Gives a request the client that the server has registered, now or before.
  ///
  /// Two processes at once register one client: the second waits for the first, and takes its client.
  ///
  /// - Parameters:
  ///   - request: Gets the identifier, how the client authenticates, its secret and its port.
  ///   - style: How the server registers clients.
  ///   - words: What the user is told where it does not.
  /// - Throws: ``ProviderError/clientNeeded(_:)`` where the server registers no clients,
  ///   ``ProviderError/notRegistered(_:_:_:)``, ``ServerError``.
  func register(
    _ request: inout SignIn.Request,
    style: Provider.RegistrationStyle,
    _ words: ProviderError.Registration
  ) async throws(EngineError) {
    let key = request.settings.endpoints[.registration]?.origin.description
    let known = request.issuer.map { $0.url.origin.description + $0.url.path } ?? key
    guard let known else { throw .provider(.clientNeeded(words)) }
    if let client = try await usable(try context.clientBook(), known, request, words.usesDevice) {
      return try await take(client, &request, words.usesDevice)
    }
    let place = try await place(of: request, words)
    let port = words.usesDevice ? nil : try await port(for: request)
    let asked = request
    let client = try await context.changeClientBook {
      book async throws(EngineError) -> UsableClient in
      if let client = try await usable(book, known, asked, words.usesDevice) { return client }
      let registered = try await ask(asked, at: place, style, port, words)
      if book.registered[known] != nil || book.registered.count < ClientBook.most {
        book.registered[known] = registered.client
      }
      return registered
    }
    try await take(client, &request, words.usesDevice)
  }

  /// A client that can be used now: its secret is there, and has not ended.
  private struct UsableClient: Sendable {
    var client: ClientBook.Registered
    var secret: Secret?
  }

  private func usable(
    _ book: ClientBook,
    _ known: String,
    _ request: SignIn.Request,
    _ usesDevice: Bool
  ) async throws(EngineError) -> UsableClient? {
    guard let client = book.registered[known] else { return nil }
    if let end = client.secretExpiresAt, end <= context.world.clock.now() { return nil }
    // One that was registered for another device has no address that a browser could come back to.
    guard usesDevice || client.port != nil else { return nil }
    guard client.authentication != .none else { return UsableClient(client: client) }
    let secret = try await ClientChoice(context).secret(of: client.clientID) { _ in true }
    return secret.map { UsableClient(client: client, secret: $0) }
  }

  private func take(
    _ usable: UsableClient,
    _ request: inout SignIn.Request,
    _ usesDevice: Bool
  ) async throws(EngineError) {
    request.clientID = usable.client.clientID
    request.settings.authentication = usable.client.authentication
    request.clientSecret = usable.secret
    guard !usesDevice, request.redirectPort == nil, request.redirect?.port == nil,
      let port = usable.client.port
    else { return }
    // Servers that compare ports know this one. Where another program has taken it, a free one is tried: most
    // servers ignore the port of a loopback address, as RFC 8252 wants it.
    guard let listening = try? await context.world.listener.listen(port) else { return }
    await listening.close()
    request.redirectPort = port
  }

  /// A port that a sign-in can end at.
  private func port(for request: SignIn.Request) async throws(EngineError) -> Int {
    if let port = request.redirectPort ?? request.redirect?.port { return port }
    let listening: Listening
    do { listening = try await context.world.listener.listen(nil) } catch {
      throw .signIn(.listen(error))
    }
    await listening.close()
    return listening.port
  }

  /// Where clients are registered, how far a request may reach, and what the server can do.
  private struct Place: Sendable {
    var endpoint: HTTPURL
    var reach: Reach
    var usesDeviceFlow: Bool
    var authentication: ClientAuthentication
  }

  private func place(
    of request: SignIn.Request,
    _ words: ProviderError.Registration
  ) async throws(EngineError) -> Place {
    if let endpoint = request.settings.endpoints[.registration] {
      return Place(
        endpoint: endpoint,
        reach: .anywhere,
        usesDeviceFlow: request.settings.endpoints[.deviceAuthorization] != nil,
        authentication: request.settings.authentication ?? .none
      )
    }
    let server = try await Discovery(context).server(of: request, using: [.registration])
    guard let endpoint = server.registrationEndpoint else {
      throw .provider(.clientNeeded(words))
    }
    return Place(
      endpoint: endpoint,
      reach: try server.naming.checkedReach(to: endpoint.origin),
      usesDeviceFlow: server.deviceEndpoint != nil,
      authentication: server.registrableAuthentication
    )
  }

  private func ask(
    _ request: SignIn.Request,
    at place: Place,
    _ style: Provider.RegistrationStyle,
    _ port: Int?,
    _ words: ProviderError.Registration
  ) async throws(EngineError) -> UsableClient {
    let redirect = request.redirect ?? .standard(port: nil)
    let registration = ClientRegistration(
      redirects: [port.map { redirect.text(port: $0) }, redirect.textWithoutPort]
        .compactMap(\.self),
      scope: request.scope,
      usesDeviceFlow: place.usesDeviceFlow,
      authentication: place.authentication
    )
    let response = try await context.client.send(message(registration, style, to: place))
    let origin = place.endpoint.origin
    let json = try answer(response, origin, words)
    let client: RegisteredClient
    do {
      client = try RegisteredClient(
        json,
        to: registration,
        fallback: style == .mastodon ? .post : .basic
      )
    } catch {
      throw .server(.oauth(error, origin))
    }
    return UsableClient(
      client: ClientBook.Registered(
        clientID: client.clientID,
        authentication: client.authentication,
        port: port,
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
      case .rfc7591: ("application/json", Secret(registration.json.serialized()))
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
  ) throws(EngineError) -> JSON {
    if (200...201).contains(response.status) {
      guard response.field("Content-Type").isJSON, let json = response.json else {
        throw .server(.oauth(.notJSON(status: response.status), origin))
      }
      return json
    }
    let noAnswer = ServerAnswer(response, redacting: context.world.held.redactor).noAnswer
    if case .failed(let reason) = noAnswer, (400..<500).contains(response.status) {
      throw .provider(.notRegistered(origin, reason, words))
    }
    throw EngineError(noAnswer, origin)
  }
}

extension AuthorizationServer {
  /// How a client of a user's own machine is registered: without a secret, unless the server knows only
  /// clients with one.
  fileprivate var registrableAuthentication: ClientAuthentication {
    guard let methods = registrableMethods, !methods.contains("none") else { return .none }
    return [.basic, .post].first { methods.contains($0.registeredName) } ?? .none
  }
}
