import AcctModel
import AcctPorts
import AcctProtocol

/// Follows an AT Protocol identity: handle → DID → document → data server → authorization server.
///
/// Each step is fetched from the address in the step before, so the result is what the identity's
/// owner has published, and nothing else.
package struct IdentityResolver: Sendable {
  private let context: EngineContext
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    client = context.client
  }

  /// The DID of a handle, and its source: DNS first, then the handle's own server, also if DNS fails.
  ///
  /// - Throws: ``EngineError/atproto(_:)`` for a wrong answer, ``NetworkError/dns(_:name:)`` or
  ///   ``NetworkError/http(_:_:)`` for none.
  func did(of handle: Handle, named naming: Naming) async throws(EngineError) -> (did: DID, naming: Naming) {
    let isTest = handle.description.hasSuffix(".test")
    guard handle.isResolvable, !isTest || context.world.environment.variable("ACCT_DNS_SERVER") != nil
    else { throw .atproto(.unresolvableHandle(handle)) }
    let outage: EngineError
    do throws(EngineError) {
      if let did = try await didInDNS(handle) { return (did, dnsNaming) }
      return try await didAtServer(of: handle, named: naming)
    } catch .network(.dns(.noAnswer, let name)) {
      outage = .network(.dns(.noAnswer, name: name))
    }
    // Either place is enough, so the handle's own server may answer for a resolver that does not.
    do throws(EngineError) { return try await didAtServer(of: handle, named: naming) } catch .cancelled {
      throw .cancelled
    } catch {
      throw outage
    }
  }

  /// The DID that the handle's own server names, wherever that keeps the document.
  private func didAtServer(of handle: Handle, named naming: Naming) async throws(EngineError) -> (
    did: DID, naming: Naming
  ) {
    guard let url = HandleRecord.url(of: handle) else { throw .atproto(.handleNotFound(handle)) }
    let (response, document): (HTTPResponse, Naming)
    do throws(EngineError) {
      (response, document) = try await client.fetch(url, named: naming, following: .anyPublic)
    } catch .network(.http(.unresolved(let host), let origin)) {
      // DNS has answered that there is no record; a missing host is then no outage either.
      guard origin == url.origin else { throw .network(.http(.unresolved(host: host), origin)) }
      throw .atproto(.handleNotFound(handle))
    }
    guard response.status == 200 else { throw .atproto(.handleNotFound(handle)) }
    let did = try believed { () throws(ATProtoError) in try HandleRecord.did(inBody: response.body, of: handle) }
    return (did, document)
  }

  private func didInDNS(_ handle: Handle) async throws(EngineError) -> DID? {
    let name = HandleRecord.name(of: handle)
    let message: [UInt8]
    do { message = try await context.world.dns.txt(name, client.timeout) } catch {
      throw .network(.dns(error, name: name))
    }
    switch DNSAnswer(message) {
    case .texts(let texts):
      return try believed { () throws(ATProtoError) in try HandleRecord.did(in: texts, of: handle) }
    case .none: return nil
    case .failed, .malformed: throw .network(.dns(.noAnswer, name: name))
    }
  }

  /// The source of a DNS answer: the user, if it is a resolver of this machine that they chose.
  private var dnsNaming: Naming {
    let server = context.world.environment.variable("ACCT_DNS_SERVER") ?? ""
    let host = server.prefix { $0 != ":" }
    return IPAddress(host)?.isLoopback == true ? .user : .remote
  }

  /// The document of a DID.
  ///
  /// - Parameters:
  ///   - did: The DID.
  ///   - naming: The source of the DID, which also decides the reach for the document of a `did:web`.
  /// - Returns: The document. Its data server is within the document's reach.
  /// - Throws: ``EngineError``.
  func document(of did: DID, named naming: Naming) async throws(EngineError) -> DIDDocument {
    let url = try url(ofDocumentOf: did)
    // The directory is the user's choice, and a PLC identifier does not change it.
    let naming = did.method == "web" ? naming : .user
    let response = try await client.fetch(url, named: naming)
    if (500...).contains(response.status) || response.status == 429 {
      throw .noAnswer(response, url.origin, context.world.held)
    }
    guard response.status == 200 else { throw .atproto(.didNotFound(did)) }
    guard response.field("Content-Type").isDIDDocument, let json = response.json else {
      throw .atproto(.documentMalformed(did))
    }
    let document = try believed { () throws(ATProtoError) in
      try DIDDocument(json, of: did, named: naming.document(at: url.origin))
    }
    try document.naming.checkedReach(to: document.service)
    return document
  }

  /// The URL of a DID's document.
  func url(ofDocumentOf did: DID) throws(EngineError) -> HTTPURL {
    let directory = try plcDirectory()
    return try believed { () throws(ATProtoError) in try DIDDocument.url(of: did, directory: directory) }
  }

  /// The handle of a document, if it points back to the DID.
  func confirmedHandle(of document: DIDDocument) async -> Handle? {
    guard let handle = document.handle else { return nil }
    do throws(EngineError) {
      let found = try await did(of: handle, named: document.naming)
      return found.did == document.did ? handle : nil
    } catch {
      // A handle is optional: without it the account has its DID as its name.
      return nil
    }
  }

  /// The authorization server of a data server, and its capabilities.
  func server(of service: Origin, named naming: Naming) async throws(EngineError) -> AuthorizationServer {
    let issuer = try await issuer(of: service, named: naming)
    return try await server(issuer, named: naming.document(at: service))
  }

  /// An authorization server's capabilities, which include all that the protocol requires.
  func server(_ issuer: Issuer, named naming: Naming) async throws(EngineError) -> AuthorizationServer {
    let server = try await Discovery(context).server(issuer, named: naming)
    // The data server's spelling identifies the issuer: here not even a slash may differ.
    guard server.issuer == issuer else {
      throw .server(.oauth(.metadata(.issuer(expected: issuer, found: server.issuer?.description)), issuer.url.origin))
    }
    try believed { () throws(ATProtoError) in try server.checkATProto() }
    return server
  }

  /// The issuer that a data server names, within the data server's reach.
  func issuer(of service: Origin, named naming: Naming) async throws(EngineError) -> Issuer {
    guard let url = ProtectedResource.url(of: service) else { throw .atproto(.protectedResource(service, .malformed)) }
    let response = try await client.fetch(url, named: naming)
    if (500...).contains(response.status) || response.status == 429 {
      throw .noAnswer(response, service, context.world.held)
    }
    guard response.status == 200 else { throw .atproto(.protectedResource(service, .status(response.status))) }
    guard response.field("Content-Type").isJSON, let json = response.json else {
      throw .atproto(.protectedResource(service, .notJSON))
    }
    let issuer = try believed { () throws(ATProtoError) in try ProtectedResource.issuer(in: json, of: service) }
    try naming.document(at: service).checkedReach(to: issuer.url.origin)
    return issuer
  }

  private func plcDirectory() throws(EngineError) -> Origin {
    let text = context.world.environment.variable("ACCT_PLC_URL") ?? "https://plc.directory"
    do { return try Origin(text) } catch { throw .input(.malformed(error)) }
  }

  private func believed<Value>(_ body: () throws(ATProtoError) -> Value) throws(EngineError) -> Value {
    do { return try body() } catch { throw .atproto(error) }
  }
}
