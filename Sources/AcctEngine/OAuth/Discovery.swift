import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Finds out what an authorization server can do, from its issuer identifier.
struct Discovery: Sendable {
  private let client: DPoPClient

  init(_ context: EngineContext) { client = context.client }

  /// Fetches the metadata: RFC 8414's place first, then OpenID Connect's.
  ///
  /// - Parameters:
  ///   - issuer: Compared exactly with what the document says.
  ///   - naming: Who named the issuer.
  /// - Returns: The server's metadata. None of its endpoints lies where the document may not point.
  /// - Throws: ``NetworkError/http(_:_:)``, ``ServerError/oauth(_:_:)``.
  func server(
    _ issuer: Issuer,
    named naming: Naming
  ) async throws(EngineError) -> AuthorizationServer {
    var lastStatus = 0
    for url in AuthorizationServer.metadataURLs(for: issuer) {
      let response = try await client.fetch(url, named: naming)
      if (500...).contains(response.status) || response.status == 429 {
        throw .noAnswer(response, issuer.url.origin, client.held)
      }
      guard response.status == 200 else {
        lastStatus = response.status
        continue
      }
      guard response.field("Content-Type").isJSON,
        let json = response.json
      else { throw .server(.oauth(.metadata(.notJSON), issuer.url.origin)) }
      let inner = naming.document(at: issuer.url.origin)
      let server: AuthorizationServer
      do { server = try AuthorizationServer(json, for: issuer, named: inner) } catch {
        throw .server(.oauth(.metadata(error), issuer.url.origin))
      }
      for endpoint in server.endpoints { try inner.checkedReach(to: endpoint.origin) }
      return server
    }
    throw .server(.oauth(.noMetadata(status: lastStatus), issuer.url.origin))
  }
}

extension EngineError {
  /// An answer that says nothing of what was asked: a redirect, 429, 5xx or what can't be read.
  static func noAnswer(
    _ response: HTTPResponse,
    _ origin: Origin,
    _ held: HeldSecrets
  ) -> EngineError {
    EngineError(ServerAnswer(response, redacting: held.redactor).noAnswer, origin)
  }
}
