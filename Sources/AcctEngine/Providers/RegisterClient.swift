import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

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
