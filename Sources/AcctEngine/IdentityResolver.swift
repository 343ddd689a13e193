import AcctModel
import AcctPorts
import AcctProtocol

/// Follows an AT Protocol identity: handle → DID → document → data server → authorization server.
///
/// Each step is fetched from where the step before points, so what comes out is what the
/// identity's owner has published, and nobody else.
struct IdentityResolver: Sendable {
  private let world: World
  private let exchange: Exchange

  init(_ world: World, _ exchange: Exchange) {
    self.world = world
    self.exchange = exchange
  }

  /// The DID of a handle: DNS first, then the handle's own server.
  ///
  /// - Throws: ``EngineError/atproto(_:)`` for a wrong answer, ``EngineError/dns(_:name:)`` or
  ///   ``EngineError/http(_:_:)`` for none.
  func did(of handle: Handle) async throws(EngineError) -> DID {
    let isTest = handle.description.hasSuffix(".test")
    guard handle.isResolvable, !isTest || world.surroundings.variable("ACCT_DNS_SERVER") != nil
    else { throw .atproto(.unresolvableHandle(handle)) }
    if let did = try await didInDNS(handle) { return did }

    guard let url = HandleRecord.url(of: handle) else {
      throw .atproto(.handleNotFound(handle))
    }
    let response: HTTPResponse
    do throws(EngineError) { response = try await exchange.fetch(url) } catch .http(.unresolved, _)
    {
      // DNS has answered that there is no record; that there is no such host either is no outage.
      throw .atproto(.handleNotFound(handle))
    }
    guard response.status == 200 else { throw .atproto(.handleNotFound(handle)) }
    return try believed { () throws(ATProtoError) in
      try HandleRecord.did(inBody: response.body, of: handle)
    }
  }

  private func didInDNS(_ handle: Handle) async throws(EngineError) -> DID? {
    let name = HandleRecord.name(of: handle)
    let message: [UInt8]
    do { message = try await world.dns.txt(name, exchange.timeout) } catch {
      throw .dns(error, name: name)
    }
    switch DNSAnswer(message) {
    case .texts(let texts):
      return try believed { () throws(ATProtoError) in
        try HandleRecord.did(in: texts, of: handle)
      }
    case .none: return nil
    case .failed, .malformed: throw .dns(.noAnswer, name: name)
    }
  }

  /// The document of a DID.
  func document(of did: DID) async throws(EngineError) -> DIDDocument {
    let directory = try plcDirectory()
    let url = try believed { () throws(ATProtoError) in
      try DIDDocument.url(of: did, directory: directory)
    }
    let response = try await exchange.fetch(url)
    if (500...).contains(response.status) || response.status == 429 {
      throw .unavailable(response, url.origin, world.held)
    }
    guard response.status == 200 else { throw .atproto(.didNotFound(did)) }
    guard response.field("Content-Type").isDIDDocument, let json = response.json else {
      throw .atproto(.documentMalformed(did))
    }
    return try believed { () throws(ATProtoError) in try DIDDocument(json, of: did) }
  }

  /// The handle of a document, if it points back to the DID.
  func confirmedHandle(of document: DIDDocument) async -> Handle? {
    guard let handle = document.handle else { return nil }
    do throws(EngineError) {
      return try await did(of: handle) == document.did ? handle : nil
    } catch {
      // A handle is a courtesy: without it the account goes by its DID.
      return nil
    }
  }

  /// The authorization server of a data server, and what it can do.
  func server(of service: Origin) async throws(EngineError) -> AuthorizationServer {
    try await server(try await issuer(of: service))
  }

  /// What an authorization server can do, and that it can do what the protocol asks for.
  func server(_ issuer: Issuer) async throws(EngineError) -> AuthorizationServer {
    let server = try await Discovery(world, timeout: exchange.timeout).server(issuer)
    try believed { () throws(ATProtoError) in try server.checkATProto() }
    return server
  }

  /// The issuer that a data server names.
  func issuer(of service: Origin) async throws(EngineError) -> Issuer {
    guard let url = ProtectedResource.url(of: service) else {
      throw .atproto(.protectedResource(service, .malformed))
    }
    let response = try await exchange.fetch(url)
    if (500...).contains(response.status) || response.status == 429 {
      throw .unavailable(response, service, world.held)
    }
    guard response.status == 200 else {
      throw .atproto(.protectedResource(service, .status(response.status)))
    }
    guard response.field("Content-Type").isJSON, let json = response.json else {
      throw .atproto(.protectedResource(service, .notJSON))
    }
    return try believed { () throws(ATProtoError) in
      try ProtectedResource.issuer(in: json, of: service)
    }
  }

  private func plcDirectory() throws(EngineError) -> Origin {
    let text = world.surroundings.variable("ACCT_PLC_URL") ?? "https://plc.directory"
    do { return try Origin(text) } catch { throw .malformed(error) }
  }

  private func believed<Value>(
    _ body: () throws(ATProtoError) -> Value
  ) throws(EngineError) -> Value {
    do { return try body() } catch { throw .atproto(error) }
  }
}
