import AcctModel
import AcctPorts
import AcctProtocol

extension Discovery {
  /// The server that a sign-in names.
  func server(
    of request: SignIn.Request,
    using endpoints: [MetadataDocuments.Endpoint]
  ) async throws(EngineError) -> AuthorizationServer {
    guard let issuer = request.issuer else {
      guard let server = AuthorizationServer(request.settings.endpoints) else { throw .signIn(.tokenEndpointNeeded) }
      return server
    }
    return try await server(issuer, named: request.naming, using: endpoints, given: request.settings.endpoints)
  }
}
