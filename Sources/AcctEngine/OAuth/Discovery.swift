import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON

/// Discovers an authorization server's capabilities from its issuer identifier.
struct Discovery: Sendable {
  private let client: DPoPClient

  init(_ context: EngineContext) { client = context.client }

  /// Fetches the metadata from the first well-known URL that has a document; one that fails leads to the next.
  ///
  /// The other URLs are tried only for endpoints that it does not name: a server may name its device endpoint in one
  /// document, and its revocation endpoint in the other.
  ///
  /// - Parameters:
  ///   - issuer: The issuer, which the document must state as well.
  ///   - naming: The source of the issuer.
  ///   - endpoints: The endpoints that the caller can use, besides the token endpoint.
  ///   - given: Endpoints that the user named, which replace those in the documents.
  ///   - presentsCertificate: `true` if the client has a certificate, for which a server may have other endpoints.
  /// - Returns: The server's metadata. All of its endpoints are within the document's reach.
  /// - Throws: ``NetworkError/http(_:_:)``, ``ServerError/oauth(_:_:)``.
  func server(
    _ issuer: Issuer,
    named naming: Naming,
    using endpoints: [MetadataDocuments.Endpoint] = [],
    given: [EndpointName: HTTPURL] = [:],
    presentsCertificate: Bool = false
  ) async throws(EngineError) -> AuthorizationServer {
    let inner = naming.document(at: issuer.url.origin)
    var places = MetadataDocuments.places(for: issuer)[...]
    let first = try await first(of: &places, issuer.url.origin, naming)
    let server: AuthorizationServer
    do throws(OAuthError.MetadataFlaw) {
      var documents = try MetadataDocuments(
        first,
        for: issuer,
        named: inner,
        given: given,
        presentsCertificate: presentsCertificate
      )
      while !([.token] + endpoints).allSatisfy(documents.names), let place = places.popFirst() {
        // A document that can only add endpoints does not fail the command if it is missing.
        guard case .found(let other)? = try? await client.document(at: place, named: naming) else { continue }
        documents.add(other)
      }
      server = try documents.server()
    } catch {
      throw .server(.oauth(.metadata(error.shown(by: client.held.redactor)), issuer.url.origin))
    }
    for endpoint in server.endpoints where !server.isGiven(endpoint) { try inner.checkedReach(to: endpoint.origin) }
    return server
  }

  /// Fetches the metadata of an account's server.
  func server(
    of account: Account,
    named naming: Naming,
    using endpoints: [MetadataDocuments.Endpoint] = []
  ) async throws(EngineError) -> AuthorizationServer {
    guard let issuer = account.identity.issuer else {
      guard let server = AuthorizationServer(account.client.endpoints) else {
        throw .signIn(.issuerUnknown(account: account.name))
      }
      return server
    }
    return try await server(
      issuer,
      named: naming,
      using: endpoints,
      given: account.client.endpoints,
      presentsCertificate: account.client.certificate != nil
    )
  }

  /// Returns the first document that can be read.
  ///
  /// - Throws: The first failure; without one, that there is no document.
  private func first(
    of places: inout ArraySlice<HTTPURL>,
    _ origin: Origin,
    _ naming: Naming
  ) async throws(EngineError) -> JSONObject {
    var missing = MissingDocument()
    while let place = places.popFirst() {
      switch try await client.document(at: place, named: naming) {
      case .found(let document): return document
      case .absent(let status): missing.note(status)
      case .failed(let error): missing.note(error)
      }
    }
    if let failure = missing.failure { throw failure }
    let status = missing.status
    throw .server(.oauth(status == 200 ? .metadata(.notJSON) : .noMetadata(status: status), origin))
  }
}

extension OAuthError.MetadataFlaw {
  /// Returns the flaw with the server's text redacted and shortened.
  fileprivate func shown(by redactor: Redactor) -> Self {
    guard case .issuer(let expected, let found) = self else { return self }
    return .issuer(expected: expected, found: found.map { redactor.redact(String($0.prefix(200))) })
  }
}

extension EngineError {
  /// The error for a response that does not answer the request: a redirect, 429, 5xx or malformed.
  static func noAnswer(_ response: HTTPResponse, _ origin: Origin, _ held: HeldSecrets) -> EngineError {
    EngineError(ServerAnswer(response, redacting: held.redactor).noAnswer, origin)
  }
}
