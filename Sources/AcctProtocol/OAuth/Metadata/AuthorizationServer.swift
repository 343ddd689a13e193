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
