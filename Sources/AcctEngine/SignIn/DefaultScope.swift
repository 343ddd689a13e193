import AcctModel
import Secrets
import AcctPorts
import AcctProtocol

extension SignIn.Request {
  /// Requests the scope `openid` of an OpenID provider if the user names none, so that the server names the user.
  ///
  /// A provider's file has its own scope, or requests none. With a resource the tokens are for that, and the scopes
  /// for the server's own users are not requested.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - redactor: Removes secrets from the listed scopes.
  /// - Returns: A notice of the scopes that it lists, for the user to choose from.
  mutating func completeScope(at server: AuthorizationServer, redacting redactor: Redactor) -> [Notice] {
    guard scope == nil, settings.provider == nil, issuerSource != .resource else { return [] }
    scope = defaultScope(at: server)
    let offered = server.offeredScopes.prefix(20).map(redactor.redact)
    guard offered.contains(where: { $0 != scope }) else { return [] }
    return [.scopesOffered(offered, server.origin, requested: scope)]
  }

  /// The scope that is requested if none is named, and that a client is then registered for.
  func defaultScope(at server: AuthorizationServer) -> String? {
    let isOpen = scope == nil && settings.provider == nil && issuerSource != .resource
    return isOpen && resources.isEmpty && server.isOpenIDProvider ? "openid" : scope
  }
}

extension Discovery {
  /// Discovers the server that a sign-in names.
  func server(
    of request: SignIn.Request,
    using endpoints: [MetadataDocuments.Endpoint]
  ) async throws(EngineError) -> AuthorizationServer {
    guard let issuer = request.issuer else {
      guard let server = AuthorizationServer(request.settings.endpoints) else { throw .signIn(.tokenEndpointNeeded) }
      return server
    }
    return try await server(
      issuer,
      named: request.naming,
      using: endpoints,
      given: request.settings.endpoints,
      presentsCertificate: request.certificate != nil
    )
  }
}
