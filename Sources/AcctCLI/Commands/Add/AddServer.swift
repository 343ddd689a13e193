import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

/// A sign-in at an OAuth 2 server that was named by its issuer or as a provider.
struct AddServer {
  let context: Context
  let signIn: SignInOptions
  let client: ClientOptions
  let key: KeyOptions

  /// Signs in, after a client has been found.
  ///
  /// - Parameters:
  ///   - issuer: As it was typed, if it was.
  ///   - provider: The provider, if one was typed.
  ///   - resource: The resource that names the server, if nothing else does.
  ///   - name: The account's name, if the user chose one.
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; nothing is left behind.
  func signIn(
    at issuer: String?,
    _ provider: ResolvedProvider?,
    _ resource: String?,
    named name: String?
  ) async throws(EngineError) -> NewCredentials {
    if let provider, provider.provider.kind == .appPassword {
      throw .provider(
        .appPassword(
          title: provider.provider.title ?? provider.typed,
          makeAt: provider.registerAt,
          provider.origins.first
        )
      )
    }
    var request = try signIn.request(issuer, client, context)
    request.key = try key.wish(for: name, context.world.environment)
    request.confirmHost = confirmHost
    let clients = ClientChoice(context.engine)
    let prefersDevice = provider?.provider.flow == .device
    if let provider {
      request.fill(from: provider)
      try clients.name(&request, at: provider, usesDevice: signIn.device || prefersDevice)
    }
    // A keyring that can't take the tokens is found out before the user has signed in.
    try await AddAccount(context.engine).prepare()
    if let resource { try await discover(&request, from: resource) }
    if client.grant != nil {
      guard !request.clientID.isEmpty else { throw ClientChoice.missing(request) }
      return try await DirectSignIn(context.engine).signIn(request)
    }
    try await clients.complete(&request, at: provider, usesDevice: signIn.device || prefersDevice)
    // Such a server wants the client's secret of a sign-in in the browser, and none on another device.
    let usesDevice = signIn.device || prefersDevice && request.clientSecret == nil
    guard usesDevice || signIn.noBrowser || !context.options.noInput else { throw .signIn(.browserNeeded) }
    let prompts = SignInPrompts(context)
    var credentials =
      usesDevice
      ? try await DeviceSignIn(context.engine).signIn(request, report: prompts.show)
      : try await SignIn(context.engine).signIn(request, report: prompts.show)
    try AddAccount(context.engine).identify(&credentials, named: name)
    return credentials
  }

  /// Asks whether the browser showed a server and no other; `nil` without a terminal.
  private var confirmHost: (@Sendable (Origin) -> Bool)? {
    let terminal = context.world.terminal
    guard context.interaction == .allowed, terminal.canAsk() else { return nil }
    return { origin in
      let answer = terminal.ask("did you sign in at \(origin.authority), and at no other host? [y/N] ")
      return ["y", "yes"].contains(answer?.lowercased())
    }
  }

  /// Takes the server from what the resource says of itself (RFC 9728), and the scope from its challenge, if the
  /// user names none.
  private func discover(_ request: inout SignIn.Request, from text: String) async throws(EngineError) {
    let resource: ResourceIndicator
    do { resource = try ResourceIndicator(text) } catch { throw .input(.malformed(error)) }
    let found = try await ResourceDiscovery(context.engine).find(resource)
    request.issuer = found.issuer
    request.scope = signIn.scope ?? found.scope
    request.naming = found.naming
    request.issuerSource = .resource
    if request.scope == nil, !found.offered.isEmpty {
      context.report([.scopesOffered(Array(found.offered.prefix(20)), resource.origin)])
    }
  }
}
