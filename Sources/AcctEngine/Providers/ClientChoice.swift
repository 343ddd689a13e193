import AcctModel
import AcctPorts
package import AcctProtocol

/// Finds the client of a sign-in for which the user has named none: one that is known, or a new one that the
/// server registers.
package struct ClientChoice: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Completes a request whose client's identifier may be missing.
  ///
  /// - Parameters:
  ///   - request: Gets the identifier and, where the client has one, the secret. What the user gave stays.
  ///   - provider: The provider, if the server was named by one.
  ///   - usesDevice: Whether no browser on this machine is needed.
  /// - Throws: ``ProviderError``, or why the server did not register one.
  package func complete(
    _ request: inout SignIn.Request,
    at provider: ResolvedProvider?,
    usesDevice: Bool
  ) async throws(EngineError) {
    if request.clientID.isEmpty, let provider {
      let named = try context.clientBook().named[provider.typed]
      request.clientID = named ?? provider.provider.clientID ?? ""
    }
    let registration = request.registration(provider, usesDevice: usesDevice)
    guard !request.clientID.isEmpty else {
      return try await RegisterClient(context).register(
        &request,
        style: provider?.provider.registration ?? .rfc7591,
        registration
      )
    }
    guard let provider else { return }
    request = try await KnownClient(context).completed(request)
    let needsSecret: [ClientAuthentication] = [.basic, .post]
    if let authentication = provider.provider.clientAuth, needsSecret.contains(authentication),
      request.settings.authentication.map(needsSecret.contains) ?? true,
      request.clientSecret == nil, request.clientKey == nil,
      !usesDevice || provider.provider.secretIsPublic
    {
      throw .provider(.secretNeeded(registration))
    }
  }

  /// Remembers the client that the user has named for a provider, after a sign-in with it.
  package func remember(
    _ clientID: String,
    for provider: ResolvedProvider
  ) async throws(EngineError) {
    guard !clientID.isEmpty, clientID != provider.provider.clientID,
      try context.clientBook().named[provider.typed] != clientID
    else { return }
    try await context.changeClientBook { book throws(EngineError) in
      guard book.named[provider.typed] != nil || book.named.count < ClientBook.most else { return }
      book.named[provider.typed] = clientID
    }
  }

  /// Why a sign-in without a client's identifier fails where none can be found.
  package static func missing(_ request: SignIn.Request) -> EngineError {
    .signIn(request.issuer.map { .clientIDNeeded($0) } ?? .clientIDMissing)
  }
}
