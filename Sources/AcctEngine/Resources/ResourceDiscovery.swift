package import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON

/// Finds the authorization server that a resource server trusts (RFC 9728).
package struct ResourceDiscovery: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// The result of a discovery.
  package struct Found: Equatable, Sendable {
    package var issuer: Issuer
    /// The source of the issuer: a public resource must not lead into a private network.
    package var naming: Naming
    /// The scope that its challenge requests.
    package var scope: String?
    /// The scopes that it supports.
    ///
    /// They are not requested by default: they are all that any of its users could need.
    package var offered: [String]
  }

  /// Queries a resource server, and follows its metadata.
  ///
  /// Its challenge to a request without a credential names its metadata; otherwise the well-known URLs are tried,
  /// first the resource's own, then its origin's.
  ///
  /// - Parameter resource: The resource as the user typed it.
  /// - Returns: The one authorization server that the metadata names.
  /// - Throws: ``ServerError/resource(_:_:)``, ``NetworkError/http(_:_:)``.
  package func find(_ resource: ResourceIndicator) async throws(EngineError) -> Found {
    let challenge = try await challenge(of: resource)
    let named = Naming.user.document(at: resource.origin)
    var places = ResourceMetadata.places(for: resource).map { (url: $0, naming: Naming.user) }
    if let metadata = challenge.metadata, !places.contains(where: { $0.url == metadata }) {
      places.insert((metadata, named), at: 0)
    }
    var missing = MissingDocument()
    for place in places {
      switch try await client.document(at: place.url, named: place.naming) {
      case .found(let document):
        return try found(
          try read(resource) { () throws(ResourceFlaw) in try ResourceMetadata(document, of: resource, at: place.url) },
          challenge,
          resource,
          place.naming.document(at: place.url.origin)
        )
      case .absent(let status): missing.note(status)
      case .failed(let error): missing.note(error)
      }
    }
    if let failure = missing.failure { throw failure }
    throw .server(.resource(.noMetadata(status: missing.status), resource.origin))
  }

  private func found(
    _ metadata: ResourceMetadata,
    _ challenge: ResourceChallenge,
    _ resource: ResourceIndicator,
    _ naming: Naming
  ) throws(EngineError) -> Found {
    guard let issuer = metadata.issuers.first, metadata.issuers.count == 1 else {
      let names = metadata.issuers.prefix(10).map { client.held.redactor.redact($0.description) }
      throw .server(.resource(.severalServers(names), resource.origin))
    }
    try naming.checkedReach(to: issuer.url.origin)
    return Found(
      issuer: issuer,
      naming: naming,
      scope: challenge.scope.isEmpty ? nil : challenge.scope.joined(separator: " "),
      offered: metadata.scopes.map(client.held.redactor.redact)
    )
  }

  /// The resource's challenge to a request without a credential.
  ///
  /// A resource that has no GET, as those of the Model Context Protocol may have none, is sent a POST of an empty body: no
  /// such request can do anything there without a credential.
  private func challenge(of resource: ResourceIndicator) async throws(EngineError) -> ResourceChallenge {
    var head = try await head(of: resource, "GET")
    if head.status == 405 { head = try await self.head(of: resource, "POST") }
    return try read(resource) { () throws(ResourceFlaw) in
      try ResourceChallenge(status: head.status, fields: head.fields)
    }
  }

  /// The head of a response, which is all that is read: some resources answer with a stream that does not end.
  private func head(of resource: ResourceIndicator, _ method: String) async throws(EngineError) -> ResponseHead {
    let url: HTTPURL
    do { url = try HTTPURL(resource.description) } catch { throw .input(.malformed(error)) }
    // A message to such a resource says that both forms of its answer are taken.
    let types = method == "GET" ? ["application/json"] : ["application/json", "text/event-stream"]
    let request = StreamedRequest(
      method: method,
      url: url,
      fields: types.map { ("Accept", $0) },
      body: nil,
      asksFirst: false,
      timeout: client.timeout
    )
    let response: StreamedResponse
    do { response = try await context.world.transport.stream(request) } catch {
      throw .network(.http(error, url.origin))
    }
    await response.cancel()
    return response.head
  }

  private func read<Value>(
    _ resource: ResourceIndicator,
    _ body: () throws(ResourceFlaw) -> Value
  ) throws(EngineError) -> Value {
    do { return try body() } catch { throw .server(.resource(error.shown(by: client.held.redactor), resource.origin)) }
  }
}

extension ResourceFlaw {
  /// Returns the flaw with the server's text redacted and shortened.
  fileprivate func shown(by redactor: Redactor) -> Self {
    guard case .resource(let expected, let found) = self else { return self }
    return .resource(expected: expected, found: found.map { redactor.redact(String($0.prefix(200))) })
  }
}
