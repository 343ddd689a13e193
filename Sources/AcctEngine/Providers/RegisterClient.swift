import AcctModel
import AcctPorts
import AcctProtocol

/// Lets a server register acct as a client of this user's (RFC 7591), once for each server.
struct RegisterClient: Sendable {
  let context: EngineContext

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
    guard let known else {
      throw words.typed == nil ? ClientChoice.missing(request) : .provider(.clientNeeded(words))
    }
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
  struct UsableClient: Sendable {
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
    // A secret is with an account in the keyring and nowhere else, so it goes when the last such account does.
    var same = request
    same.clientID = client.clientID
    same.settings.authentication = client.authentication
    let secret = try await KnownClient(context).completed(same).clientSecret
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
    let redirect = request.address(port: port)
    guard let listening = try? await context.world.listener.listen(redirect) else { return }
    await listening.close()
    request.redirect = redirect
  }

  /// A port that a sign-in can end at.
  private func port(for request: SignIn.Request) async throws(EngineError) -> Int {
    if let port = request.redirectPort ?? request.redirect?.port { return port }
    let listening: Listening
    do { listening = try await context.world.listener.listen(request.address(port: nil)) } catch {
      throw .signIn(.listen(error))
    }
    await listening.close()
    return listening.port
  }
}
