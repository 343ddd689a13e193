import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import StrictJSON

/// Makes a server register acct as a client of this user's (RFC 7591), once for each server.
struct RegisterClient: Sendable {
  let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Sets the client that the server has registered, now or before, in a request.
  ///
  /// Two concurrent processes register one client: the second waits for the first, and uses its client.
  ///
  /// - Parameters:
  ///   - request: Gets the identifier, the client's authentication, its secret and its port.
  ///   - style: The server's way to register clients.
  ///   - words: The instructions to the user if it registers none.
  /// - Returns: `true` if the client was registered just now.
  /// - Throws: ``ProviderError/clientNeeded(_:)`` if the server registers no clients,
  ///   ``ProviderError/notRegistered(_:_:_:)``, ``ServerError``.
  func register(
    _ request: inout SignIn.Request,
    style: Provider.RegistrationStyle,
    _ words: ProviderError.Registration
  ) async throws(EngineError) -> Bool {
    guard let known = request.registrationPlace else {
      throw words.typed == nil ? ClientChoice.missing(request) : .provider(.clientNeeded(words))
    }
    guard style != .never else { throw .provider(.clientNeeded(words)) }
    let before = try context.clientBook()
    request.redirect = request.redirect ?? ownRedirect(for: request, before.registered[known], known)
    // If no client can be registered, no callback will arrive, so no port is tried.
    let first = before.registered[known] == nil ? try await place(of: request, words) : nil
    let redirect =
      words.usesDevice
      ? nil : try await redirect(for: request, before.registered[known]?.redirect?.port)
    if let client = try await usable(before, known, request, redirect) {
      take(client, &request, redirect)
      return false
    }
    let place = if let first { first } else { try await place(of: request, words) }
    let asked = request
    let client = try await context.changeClientBook {
      book async throws(EngineError) -> UsableClient in
      if let client = try await usable(book, known, asked, redirect) { return client }
      var asked = asked
      asked.scope = Self.joined(book.registered[known]?.scope, place.scope)
      let registered = try await ask(asked, at: place, style, redirect, words)
      if book.registered[known] != nil || book.registered.count < ClientBook.most {
        book.registered[known] = registered.client
      }
      return registered
    }
    take(client, &request, redirect)
    return client.isNew
  }

  /// Drops the client of a request, which its server no longer knows.
  func drop(_ request: SignIn.Request) async throws(EngineError) {
    guard let place = request.registrationPlace else { return }
    try await context.changeClientBook { book throws(EngineError) in book.drop(request.clientID, at: [place]) }
  }

  /// The redirect address of a client that is registered here alone.
  ///
  /// An older client without such an address stays in use if the user named the server: its codes arrive at the common
  /// path, which the callback for a server with its own path rejects.
  private func ownRedirect(
    for request: SignIn.Request,
    _ client: ClientBook.Registered?,
    _ known: String
  ) -> LoopbackRedirect {
    let common = LoopbackRedirect.standard(port: nil)
    let isFromBefore = client?.redirect?.tail == common.tail
    return isFromBefore && request.issuerSource != .resource ? common : .registered(at: known)
  }

  /// A client that can be used now: its secret is available, and has not expired.
  struct UsableClient: Sendable {
    var client: ClientBook.Registered
    var secret: Secret?
    var access: RegistrationAccess?
    var isNew = false
  }

  private func usable(
    _ book: ClientBook,
    _ known: String,
    _ request: SignIn.Request,
    _ redirect: LoopbackRedirect?
  ) async throws(EngineError) -> UsableClient? {
    guard let client = book.registered[known], !request.registersAnew else { return nil }
    if let end = client.secretExpiresAt, end <= context.world.clock.now() { return nil }
    // Some servers compare the port, too: they would not redirect to another address.
    guard redirect == nil || client.redirect == redirect else { return nil }
    let scope = Scope.words(client.scope)
    guard Scope.words(request.scope).allSatisfy(scope.contains) else { return nil }
    let access = try await KnownClient(context).access(to: client.clientID, at: known)
    guard client.authentication != .none else { return UsableClient(client: client, access: access) }
    // A secret is stored with an account in the keyring and nowhere else, so it is removed with the last such account.
    var same = request
    same.clientID = client.clientID
    same.settings.authentication = client.authentication
    let secret = try await KnownClient(context).completed(same).clientSecret
    return secret.map { UsableClient(client: client, secret: $0, access: access) }
  }

  /// The scope of a client for this sign-in and for those of the previous client.
  private static func joined(_ scope: String?, _ other: String?) -> String? {
    guard let scope else { return other }
    let words = Scope.words(scope)
    return (words + Scope.words(other).filter { !words.contains($0) }).joined(separator: " ")
  }

  private func take(_ usable: UsableClient, _ request: inout SignIn.Request, _ redirect: LoopbackRedirect?) {
    request.clientID = usable.client.clientID
    request.settings.authentication = usable.client.authentication
    request.settings.isRegistered = true
    request.clientSecret = usable.secret
    request.registrationAccess = usable.access
    if let redirect { request.redirect = redirect }
  }

  /// The redirect address of the sign-in, before it is registered.
  ///
  /// - Parameters:
  ///   - request: The request, which may name the port.
  ///   - registered: The port of the known client; used if none is named, and it is free.
  /// - Returns: An address with a port.
  /// - Throws: ``SignInError/listen(_:)``.
  private func redirect(for request: SignIn.Request, _ registered: Int?) async throws(EngineError) -> LoopbackRedirect {
    let named = request.redirectPort ?? request.redirect?.port
    if named == nil, let registered, let redirect = try? await listened(request.address(port: registered)) {
      return redirect
    }
    do { return try await listened(request.address(port: named)) } catch { throw .signIn(.listen(error)) }
  }

  /// The address with a port that can be listened on.
  private func listened(_ redirect: LoopbackRedirect) async throws(ListenFailure) -> LoopbackRedirect {
    let listening = try await context.world.listener.listen(redirect)
    await listening.close()
    return LoopbackRedirect(host: redirect.host, port: listening.port, tail: redirect.tail)
  }
}

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
      case .mastodon: (FormBody.mediaType, Array(registration.mastodonForm.openedText.utf8))
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
