package import AcctModel
import AcctPorts
package import AcctProtocol
import Secrets
import StrictJSON

/// Finds the client of a sign-in for which the user has named none: a known one, or a new one that the server
/// registers.
package struct ClientChoice: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Sets the known identifier for a request's provider.
  ///
  /// - Throws: ``ProviderError/clientNeeded(_:)`` if there is none, and the provider registers none: before the
  ///   keyring or the network is used.
  package func name(
    _ request: inout SignIn.Request,
    at provider: ResolvedProvider,
    usesDevice: Bool
  ) throws(EngineError) {
    guard request.clientID.isEmpty else { return }
    if !request.registersAnew {
      let named = try context.clientBook().named[provider.place]
      request.clientID = named ?? provider.provider.clientID ?? ""
    }
    guard request.clientID.isEmpty else { return }
    let canRegister = request.issuer != nil || request.settings.endpoints[.registration] != nil
    guard canRegister, provider.provider.registration != .never else {
      throw .provider(.clientNeeded(request.registration(provider, usesDevice: usesDevice)))
    }
  }

  /// Completes a request whose client's identifier may be missing.
  ///
  /// - Parameters:
  ///   - request: Gets the identifier and, if the client has one, the secret. The user's own values are kept.
  ///   - provider: The provider, if the server was named by one.
  ///   - usesDevice: `true` if no browser on this machine is needed.
  /// - Returns: `true` if the server has registered the client just now.
  /// - Throws: ``ProviderError``, or the reason why the server did not register a client.
  package func complete(
    _ request: inout SignIn.Request,
    at provider: ResolvedProvider?,
    usesDevice: Bool
  ) async throws(EngineError) -> Bool {
    let registration = request.registration(provider, usesDevice: usesDevice)
    guard !request.clientID.isEmpty else {
      return try await RegisterClient(context).register(
        &request,
        style: provider?.provider.registration ?? .rfc7591,
        registration
      )
    }
    guard let provider else { return false }
    request = try await KnownClient(context).completed(request)
    let needsSecret: [ClientAuthentication] = [.basic, .post]
    if let authentication = provider.provider.clientAuth, needsSecret.contains(authentication),
      request.settings.authentication.map(needsSecret.contains) ?? true,
      request.clientSecret == nil, request.clientKey == nil,
      !usesDevice || provider.provider.secretIsPublic
    {
      throw .provider(.secretNeeded(registration))
    }
    return false
  }

  /// Stores the client that the user has named for a provider, after an account with it is stored.
  ///
  /// The provider's own client is used without being stored, so that naming it deletes an earlier one.
  ///
  /// - Returns: A notice if it can't be stored: the account is there all the same.
  package func remember(_ account: Account) async -> [Notice] {
    guard let typed = account.client.provider.flatMap({ ProviderName($0) }), let clientID = account.identity.clientID,
      !account.client.isRegistered, !account.client.grant.renewsItself
    else { return [] }
    do throws(EngineError) {
      let provider = try Providers(context.world).resolve(typed)
      let named = clientID == provider.provider.clientID ? nil : clientID
      guard try context.clientBook().named[provider.place] != named else { return [] }
      try await context.changeClientBook { book throws(EngineError) in
        guard book.named[provider.place] != nil || book.named.count < ClientBook.most else { return }
        book.named[provider.place] = named
      }
      return []
    } catch {
      return [.clientNotRemembered(because: error)]
    }
  }

  /// The error of a sign-in without a client identifier, if none can be found.
  package static func missing(_ request: SignIn.Request) -> EngineError {
    .signIn(request.issuer.map { .clientIDNeeded($0) } ?? .clientIDMissing)
  }
}
