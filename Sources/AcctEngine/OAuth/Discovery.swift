package import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets
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
  package static func noAnswer(_ response: HTTPResponse, _ origin: Origin, _ held: HeldSecrets) -> EngineError {
    EngineError(ServerAnswer(response, redacting: held.redactor).noAnswer, origin)
  }
}

/// The outcome of a request for a document that a server publishes as JSON, at one of the addresses that it may have.
enum PublicDocument {
  case found(JSONObject)
  /// It is not there. Servers of single-page applications answer every path with 200 and a page.
  case absent(status: Int)
  /// There is no answer about this document; another address may have one all the same.
  case failed(EngineError)
}

/// The addresses of one document that did not have it.
struct MissingDocument {
  /// The first failure.
  private(set) var failure: EngineError?
  /// The last status; 200 if any answer had it.
  private(set) var status = 0

  mutating func note(_ failure: EngineError) { self.failure = self.failure ?? failure }

  mutating func note(_ status: Int) { if self.status != 200 { self.status = status } }
}

extension DPoPClient {
  /// The places to which a request for a public document may be redirected.
  enum Redirects {
    /// The origin of the address alone.
    case ownOrigin
    /// Any server with https and a public address: the document is the same wherever it is.
    case anyPublic
  }

  /// The most redirects of one request for a public document that are followed.
  private static let mostRedirects = 3

  /// Fetches a public document; no credential goes with it.
  ///
  /// A redirect within the origin is followed: its server decides about all of its addresses.
  ///
  /// - Parameters:
  ///   - url: Its address.
  ///   - naming: The source of the address.
  /// - Returns: The response; a redirect elsewhere is returned as it is.
  /// - Throws: ``NetworkError/http(_:_:)``.
  func fetch(_ url: HTTPURL, named naming: Naming) async throws(EngineError) -> HTTPResponse {
    try await fetch(url, named: naming, following: .ownOrigin).response
  }

  /// The same, with the source of what the document names.
  func fetch(
    _ url: HTTPURL,
    named naming: Naming,
    following redirects: Redirects
  ) async throws(EngineError) -> (response: HTTPResponse, document: Naming) {
    var (url, naming) = (url, naming)
    for followed in 0...Self.mostRedirects {
      let response = try await once(url, named: naming)
      guard followed < Self.mostRedirects, let target = response.target(from: url, following: redirects)
      else { return (response, naming.document(at: url.origin)) }
      // What a server names is public, but for its own origin.
      if target.origin != url.origin { naming = naming.document(at: url.origin) }
      url = target
    }
    throw .network(.http(.malformed, url.origin))
  }

  private func once(_ url: HTTPURL, named naming: Naming) async throws(EngineError) -> HTTPResponse {
    try await send(
      HTTPRequest(
        method: "GET",
        url: url,
        fields: [("Accept", "application/json")],
        timeout: timeout,
        reach: try naming.checkedReach(to: url.origin)
      )
    )
  }

  /// Asks one of a document's addresses.
  ///
  /// - Throws: ``NetworkError/http(_:_:)`` for a failure that any address of the server would have.
  func document(at url: HTTPURL, named naming: Naming) async throws(EngineError) -> PublicDocument {
    let response: HTTPResponse
    do throws(EngineError) { response = try await fetch(url, named: naming) } catch .network(
      .http(let failure, let origin)
    )
      where failure.isOfOneAnswer
    {
      return .failed(.network(.http(failure, origin)))
    }
    if response.status >= 500 || response.status == 429 { return .failed(.noAnswer(response, url.origin, held)) }
    guard response.status == 200, response.field("Content-Type").isJSON, let document = response.json?.objectValue
    else { return .absent(status: response.status) }
    return .found(document)
  }
}

extension HTTPResponse {
  /// The address that a redirect leads to, if it may be followed.
  fileprivate func target(from url: HTTPURL, following redirects: DPoPClient.Redirects) -> HTTPURL? {
    guard [301, 302, 303, 307, 308].contains(status), let location = field("Location"),
      let target = try? url.resolving(location)
    else { return nil }
    switch redirects {
    case .ownOrigin: return target.origin == url.origin ? target : nil
    case .anyPublic: return target.origin == url.origin || target.origin.scheme == .https ? target : nil
    }
  }
}

extension HTTPFailure {
  /// `true` if the request may have reached the server, and another address of it may answer.
  fileprivate var isOfOneAnswer: Bool {
    switch self {
    case .timedOut, .closed, .malformed, .tooLarge: true
    case .unresolved, .unreachable, .untrusted, .cancelled, .unsendable, .source, .inside, .withheld, .proxy, .device:
      false
    }
  }
}
