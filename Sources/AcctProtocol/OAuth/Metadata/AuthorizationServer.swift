package import AcctModel
package import Release
package import StrictJSON

/// An authorization server's metadata (RFC 8414; OpenID Connect Discovery 1.0).
package final class AuthorizationServer: Sendable {
  /// As its document spells it; `nil` where the user named the endpoints instead.
  package let issuer: Issuer?
  /// The source of the endpoints.
  package let naming: Naming
  package let authorizationEndpoint: HTTPURL?
  package let tokenEndpoint: HTTPURL
  /// RFC 9126.
  package let pushedRequestEndpoint: HTTPURL?
  package let requiresPushedRequest: Bool
  /// RFC 8628.
  package let deviceEndpoint: HTTPURL?
  /// RFC 7009.
  package let revocationEndpoint: HTTPURL?
  /// RFC 7662.
  package let introspectionEndpoint: HTTPURL?
  /// OpenID Connect Core 1.0, section 5.3.
  package let userinfoEndpoint: HTTPURL?
  /// RFC 7591.
  package let registrationEndpoint: HTTPURL?
  /// `true` if every authorization response carries `iss` (RFC 9207).
  package let sendsIssuer: Bool
  /// `true` if it names DPoP with ES256 (RFC 9449, section 5.1); not every server that supports it does.
  package let namesDPoP: Bool

  /// The methods by which clients may authenticate themselves; `nil` where the server doesn't say.
  package let clientAuthenticationMethods: [String]?
  /// `true` if it can bind access tokens to a client's certificate (RFC 8705, section 3.3).
  package let bindsTokensToCertificates: Bool
  /// The endpoints that the user named, which override the server's documents.
  private let given: Set<HTTPURL>

  /// The scopes that it lists; more may be known to it.
  package let offeredScopes: [String]
  /// The algorithms that sign its ID tokens; empty where the server doesn't say.
  package let idTokenAlgorithms: [String]
  /// `true` if it issues ID tokens (OpenID Connect Discovery 1.0, section 3).
  package let isOpenIDProvider: Bool

  /// `true` if a client identifier can be the URL of the client's metadata.
  package let readsClientMetadata: Bool

  /// Reads metadata that was fetched for `issuer`.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - issuer: The issuer for which it was fetched. The document must say the same; it alone decides
  ///     whether a slash ends it, which people leave out.
  ///   - naming: The source of the addresses in the document.
  ///   - given: Endpoints that the user named; they stand in the document already.
  /// - Throws: ``OAuthError/MetadataFlaw``.
  package init(
    _ json: JSON,
    for issuer: Issuer,
    named naming: Naming = .remote,
    given: [EndpointName: HTTPURL] = [:]
  ) throws(OAuthError.MetadataFlaw) {
    guard let document = json.objectValue else { throw .notJSON }
    self.issuer = try Self.issuer(in: document, for: issuer)
    self.naming = naming
    self.given = Set(given.values)

    let members = MetadataMembers(document)
    guard let tokenEndpoint = try members.endpoint(.token) else {
      throw .missing(member: MetadataDocuments.Endpoint.token.rawValue)
    }
    self.tokenEndpoint = tokenEndpoint
    authorizationEndpoint = try members.endpoint(.authorization)
    pushedRequestEndpoint = try members.endpoint(.pushedRequest)
    deviceEndpoint = try members.endpoint(.deviceAuthorization)
    revocationEndpoint = try members.endpoint(.revocation)
    // Only a check asks these; a flaw in them must not keep the account from signing in or renewing.
    introspectionEndpoint = try? members.endpoint(.introspection)
    userinfoEndpoint = try? members.endpoint(.userinfo)
    registrationEndpoint = try? members.endpoint(.registration)
    requiresPushedRequest = members.isTrue("require_pushed_authorization_requests")
    sendsIssuer = members.isTrue("authorization_response_iss_parameter_supported")
    clientAuthenticationMethods = try? members.list("token_endpoint_auth_methods_supported")
    bindsTokensToCertificates = members.isTrue("tls_client_certificate_bound_access_tokens")
    // A hint for people and a default: a flaw in it must not keep the account from renewing.
    offeredScopes = ((try? members.list("scopes_supported")) ?? []).filter(Scope.isWellFormed)
    idTokenAlgorithms = (try? members.list("id_token_signing_alg_values_supported")) ?? []
    isOpenIDProvider =
      offeredScopes.contains("openid")
      || document["subject_types_supported"] != nil
        && document["id_token_signing_alg_values_supported"] != nil
    readsClientMetadata = members.isTrue("client_id_metadata_document_supported")
    namesDPoP = try members.list("dpop_signing_alg_values_supported")?.contains("ES256") ?? false
    if let methods = try members.list("code_challenge_methods_supported") {
      offersS256 = methods.contains("S256")
    } else {
      offersS256 = true
    }
  }

  /// `true` if PKCE with S256 can be used; servers that don't name methods take it or ignore it.
  package let offersS256: Bool

  /// A server without metadata, known by its endpoints alone; `nil` without a token endpoint.
  ///
  /// - Parameters:
  ///   - given: The endpoints that the user named.
  ///   - issuer: Its issuer, if that is known.
  ///   - known: The token endpoint of its metadata from before, where the user named none.
  ///   - naming: The source of that.
  package init?(
    _ given: [EndpointName: HTTPURL],
    of issuer: Issuer? = nil,
    tokenEndpoint known: HTTPURL? = nil,
    named naming: Naming = .user
  ) {
    guard let tokenEndpoint = given[.token] ?? known else { return nil }
    self.issuer = issuer
    self.naming = naming
    let endpoints = given
    self.given = Set(given.values)
    self.tokenEndpoint = tokenEndpoint
    authorizationEndpoint = endpoints[.authorization]
    deviceEndpoint = endpoints[.deviceAuthorization]
    revocationEndpoint = endpoints[.revocation]
    userinfoEndpoint = endpoints[.userinfo]
    registrationEndpoint = endpoints[.registration]
    pushedRequestEndpoint = nil
    introspectionEndpoint = nil
    requiresPushedRequest = false
    offeredScopes = []
    idTokenAlgorithms = []
    isOpenIDProvider = false
    sendsIssuer = false
    readsClientMetadata = false
    namesDPoP = false
    clientAuthenticationMethods = nil
    bindsTokensToCertificates = false
    offersS256 = true
  }

  /// Permits credentials to be sent to one of its endpoints.
  ///
  /// - Throws: ``AuthorizationError/misdirected(_:)`` for any other URL.
  package func permit(to endpoint: HTTPURL) throws(AuthorizationError) -> Permit {
    try .to(
      endpoint,
      among: [
        tokenEndpoint, pushedRequestEndpoint, deviceEndpoint, revocationEndpoint, introspectionEndpoint,
        userinfoEndpoint,
      ]
    )
  }

  /// The server's origin: its issuer's, else its token endpoint's.
  package var origin: Origin { issuer?.url.origin ?? tokenEndpoint.origin }

  /// The addresses that a request to one of the endpoints may go to.
  package func reach(to endpoint: HTTPURL) -> Reach {
    given.contains(endpoint) ? .anywhere : naming.reach(to: endpoint.origin)
  }

  /// `true` if the user named the endpoint.
  package func isGiven(_ endpoint: HTTPURL) -> Bool { given.contains(endpoint) }

  /// The addresses that signing in, renewing and revoking use.
  package var endpoints: [HTTPURL] {
    [tokenEndpoint, authorizationEndpoint, pushedRequestEndpoint, deviceEndpoint, revocationEndpoint].compactMap(\.self)
  }

  /// The issuer as its document spells it (RFC 8414, section 3.3).
  ///
  /// - Throws: ``OAuthError/MetadataFlaw/issuer(expected:found:)`` where more than a slash at the end differs.
  static func issuer(in document: JSONObject, for issuer: Issuer) throws(OAuthError.MetadataFlaw) -> Issuer {
    let stated = document["issuer"]?.stringValue
    guard let stated, stated.withoutLastSlash == issuer.description.withoutLastSlash, let spelled = try? Issuer(stated)
    else { throw .issuer(expected: issuer, found: stated) }
    return spelled
  }
}

/// The documents in which an authorization server describes itself, and the places of them.
///
/// A server may have one or several, and may name an endpoint in one of them only.
package struct MetadataDocuments: Sendable {
  /// All members, the first document's before the others'.
  private var members: JSONObject
  private let first: JSONObject
  private let issuer: Issuer
  private let naming: Naming
  private let given: [EndpointName: HTTPURL]
  private let presentsCertificate: Bool

  /// Begins with the first document that was found.
  ///
  /// - Parameters:
  ///   - first: The document.
  ///   - issuer: The issuer for which it was fetched.
  ///   - naming: The source of the addresses in the document.
  ///   - given: Endpoints that the user named, in place of those of any document.
  ///   - presentsCertificate: `true` if the client has a certificate, which the documents may name other endpoints for
  ///     (RFC 8705, section 5).
  /// - Throws: ``OAuthError/MetadataFlaw/issuer(expected:found:)``: then no other document is worth a request.
  package init(
    _ first: JSONObject,
    for issuer: Issuer,
    named naming: Naming,
    given: [EndpointName: HTTPURL] = [:],
    presentsCertificate: Bool = false
  ) throws(OAuthError.MetadataFlaw) {
    _ = try AuthorizationServer.issuer(in: first, for: issuer)
    var first = first
    for (name, url) in given { first[name.endpoint.rawValue] = .string(url.description) }
    self.first = first
    members = first
    self.given = given
    self.presentsCertificate = presentsCertificate
    self.issuer = issuer
    self.naming = naming
  }

  /// Adds members of another document that the earlier ones lack, if it names the same issuer.
  package mutating func add(_ other: JSONObject) {
    guard other["issuer"] == first["issuer"] else { return }
    for (name, value) in other where members[name] ?? .null == .null { members[name] = value }
  }

  /// `true` if a document names the endpoint.
  package func names(_ endpoint: Endpoint) -> Bool { members[endpoint.rawValue] ?? .null != .null }

  /// The server as all documents together describe it.
  ///
  /// A later document that can't be used adds nothing.
  ///
  /// - Throws: ``OAuthError/MetadataFlaw`` for the first one.
  package func server() throws(OAuthError.MetadataFlaw) -> AuthorizationServer {
    do {
      return try server(members)
    } catch {
      return try server(first)
    }
  }

  private func server(_ document: JSONObject) throws(OAuthError.MetadataFlaw) -> AuthorizationServer {
    var document = document
    if presentsCertificate, let aliases = document["mtls_endpoint_aliases"]?.objectValue {
      // A browser has no such certificate.
      let own = Set(given.keys.map(\.endpoint) + [.authorization])
      for (name, value) in aliases {
        guard let endpoint = Endpoint(rawValue: name), !own.contains(endpoint) else { continue }
        document[name] = value
      }
    }
    return try AuthorizationServer(.object(document), for: issuer, named: naming, given: given)
  }

  /// An endpoint, by the member that names it.
  package enum Endpoint: String, Sendable {
    case token = "token_endpoint"
    case authorization = "authorization_endpoint"
    case pushedRequest = "pushed_authorization_request_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case revocation = "revocation_endpoint"
    case userinfo = "userinfo_endpoint"
    case introspection = "introspection_endpoint"
    case registration = "registration_endpoint"
  }

  /// The places of the documents, in the order in which they are fetched.
  ///
  /// RFC 8414, section 3.1, inserts the well-known part before the issuer's path. OpenID Connect
  /// Discovery 1.0, section 4, appends it; some servers insert it there, too (RFC 8414, section 5).
  package static func places(for issuer: Issuer) -> [HTTPURL] {
    let path = issuer.url.path.withoutLastSlash
    var texts = [
      "\(issuer.url.origin)/.well-known/oauth-authorization-server\(path)",
      "\(issuer.url.origin)\(path)/.well-known/openid-configuration",
    ]
    if !path.isEmpty { texts.append("\(issuer.url.origin)/.well-known/openid-configuration\(path)") }
    return texts.compactMap { try? HTTPURL($0) }
  }
}

extension EndpointName {
  /// The endpoint's member in a server's metadata.
  fileprivate var endpoint: MetadataDocuments.Endpoint {
    switch self {
    case .authorization: .authorization
    case .token: .token
    case .deviceAuthorization: .deviceAuthorization
    case .revocation: .revocation
    case .userinfo: .userinfo
    case .registration: .registration
    }
  }
}

extension String {
  /// The text without the slash at its end, if it has one.
  var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

/// Typed access to metadata members; `null` is the same as not there.
struct MetadataMembers {
  private let document: JSONObject

  init(_ document: JSONObject) { self.document = document }

  func endpoint(_ endpoint: MetadataDocuments.Endpoint) throws(OAuthError.MetadataFlaw) -> HTTPURL? {
    let name = endpoint.rawValue
    guard let value = document[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw .malformed(member: name) }
    do { return try HTTPURL(text) } catch .refusedURL(let refusal) {
      throw .refused(member: name, refusal)
    } catch {
      throw .malformed(member: name)
    }
  }

  func list(_ name: String) throws(OAuthError.MetadataFlaw) -> [String]? {
    guard let value = document[name], value != .null else { return nil }
    guard let elements = value.arrayValue else { throw .malformed(member: name) }
    return elements.compactMap(\.stringValue)
  }

  func isTrue(_ name: String) -> Bool { document[name] == .bool(true) }
}
