package import AcctModel
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

/// Checks, before a refresh token is spent, that an account's DID still leads to its issuer.
///
/// A lookup is valid for less than 10 minutes, so that a script that renews often does not ask the
/// directory each time.
struct IdentityCheck: Sendable {
  private let context: EngineContext
  private let resolver: IdentityResolver

  init(_ context: EngineContext) {
    self.context = context
    resolver = IdentityResolver(context)
  }

  private static let lifetime: Int64 = 540

  /// Checks an account and applies the changes that are safe.
  ///
  /// A new handle that points back, and a new data server behind the same authorization server, are
  /// stored: the tokens are still that server's, and the DID's document names the rest.
  ///
  /// - Parameter account: Changed in place.
  /// - Returns: The source that names the issuer.
  /// - Throws: ``SignInError/moved(account:to:)`` where the DID leads to another issuer.
  func check(_ account: inout Account) async throws(EngineError) -> Naming {
    guard let did = account.did else { return account.naming }
    let issuer = account.identity.issuer
    if let found = remembered(did), found == (account.service, issuer?.description) {
      return resolver.naming(ofIssuerOf: account)
    }

    let document = try await resolver.document(of: did, named: account.naming)
    let current = try await resolver.issuer(of: document.service, named: document.naming)
    guard issuer == nil || current == issuer else { throw .signIn(.moved(account: account.name, to: document.service)) }
    account.identity.issuer = current
    account.follow(to: document.service)
    if document.handle != account.handle, let handle = await resolver.confirmedHandle(of: document) {
      account.handle = handle
    }
    remember(did, document.service, current)
    return document.naming.document(at: document.service)
  }

  private func remembered(_ did: DID) -> (service: Origin?, issuer: String?)? {
    guard let bytes = try? context.world.files.read(.identity(did)) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { " \n".contains($0) }
    guard words.count == 3, let seconds = Int64(words[0]), let time = Timestamp(secondsSince1970: seconds),
      (0...Self.lifetime).contains(context.world.clock.now().seconds(since: time))
    else { return nil }
    return (try? Origin(String(words[1])), String(words[2]))
  }

  /// Caches the lookup: if it can't be written, the next renewal asks again.
  private func remember(_ did: DID, _ service: Origin, _ issuer: Issuer) {
    let line = "\(context.world.clock.now().secondsSince1970) \(service) \(issuer)\n"
    try? context.world.files.replace(.identity(did), Array(line.utf8))
  }
}

extension Naming {
  /// Returns the reach of a request to an origin that this source named.
  ///
  /// - Throws: ``NetworkError/http(_:_:)`` with ``HTTPFailure/inside(host:)`` if only the user may name the host, as
  ///   it is written. The transport checks the addresses that names resolve to.
  @discardableResult
  package func checkedReach(to origin: Origin) throws(EngineError) -> Reach {
    let reach = reach(to: origin)
    guard reach.permits(origin) else { throw .network(.http(.inside(host: origin.host), origin)) }
    return reach
  }
}

extension Account {
  /// The sources of the account's stored addresses.
  var naming: Naming {
    switch source {
    // At a renewal, a resource that names its issuer has no wider reach than at the sign-in.
    case .issuer where issuerSource == .resource:
      resources.first.map { .document(at: $0.origin, reached: .anywhere) } ?? .remote
    case .issuer, .user: .user
    case .backend(let origin): .document(at: origin, reached: .anywhere)
    // A backend may have named the DID; an issuer came from the user, or from a file of theirs.
    case nil: issuerSource == .did ? .remote : .user
    }
  }
}

/// The sources that name an existing account's servers, so that each is asked within its reach.
extension IdentityResolver {
  /// The source of an account's data server: the user, or the document that its DID leads to.
  package func naming(ofServiceOf account: Account) -> Naming {
    if account.naming == .user { return .user }
    return naming(ofDocumentOf: account) ?? account.naming
  }

  /// The source of an account's issuer: the data server, if the DID leads to it.
  package func naming(ofIssuerOf account: Account) -> Naming {
    guard account.issuerSource == .did, let service = account.service, let naming = naming(ofDocumentOf: account)
    else { return account.naming }
    return naming.document(at: service)
  }

  private func naming(ofDocumentOf account: Account) -> Naming? {
    guard let did = account.did, let url = try? url(ofDocumentOf: did) else { return nil }
    return (did.method == "web" ? account.naming : .user).document(at: url.origin)
  }
}
