package import AcctModel
package import StrictJSON

/// An authorization server's metadata (RFC 8414; OpenID Connect Discovery 1.0).
package struct AuthorizationServer: Equatable, Sendable {
  package let issuer: Issuer
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
  /// Whether every authorization response carries `iss` (RFC 9207).
  package let sendsIssuer: Bool
  /// Whether it names DPoP with ES256 (RFC 9449, section 5.1); not every server that can says so.
  package let namesDPoP: Bool

  /// Whether a client identifier can be the URL of the client's metadata.
  package let readsClientMetadata: Bool

  /// Reads metadata that was fetched for `issuer`.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - issuer: The issuer for which it was fetched; the document must say exactly the same.
  ///   - naming: The source of the addresses in the document.
  /// - Throws: ``OAuthError/MetadataFlaw``.
  package init(
    _ json: JSON,
    for issuer: Issuer,
    named naming: Naming = .remote
  ) throws(OAuthError.MetadataFlaw) {
    guard let document = json.objectValue else { throw .notJSON }
    guard document["issuer"]?.stringValue == issuer.description else { throw .issuer }
    self.issuer = issuer
    self.naming = naming

    let members = MetadataMembers(document)
    guard let tokenEndpoint = try members.endpoint("token_endpoint") else {
      throw .missing(member: "token_endpoint")
    }
    self.tokenEndpoint = tokenEndpoint
    authorizationEndpoint = try members.endpoint("authorization_endpoint")
    pushedRequestEndpoint = try members.endpoint("pushed_authorization_request_endpoint")
    deviceEndpoint = try members.endpoint("device_authorization_endpoint")
    revocationEndpoint = try members.endpoint("revocation_endpoint")
    requiresPushedRequest = members.isTrue("require_pushed_authorization_requests")
    sendsIssuer = members.isTrue("authorization_response_iss_parameter_supported")
    readsClientMetadata = members.isTrue("client_id_metadata_document_supported")
    namesDPoP = try members.list("dpop_signing_alg_values_supported")?.contains("ES256") ?? false
    if let methods = try members.list("code_challenge_methods_supported") {
      offersS256 = methods.contains("S256")
    } else {
      offersS256 = true
    }
  }

  /// Whether PKCE with S256 can be used; servers that don't name methods take it or ignore it.
  package let offersS256: Bool

  /// Every address that the document names.
  package var endpoints: [HTTPURL] {
    [
      tokenEndpoint, authorizationEndpoint, pushedRequestEndpoint, deviceEndpoint,
      revocationEndpoint,
    ].compactMap(\.self)
  }

  /// Where metadata is looked for, in this order.
  ///
  /// RFC 8414 puts the well-known part before the issuer's path, OpenID Connect behind it.
  package static func metadataURLs(for issuer: Issuer) -> [HTTPURL] {
    let path = issuer.url.path == "/" ? "" : issuer.url.path.droppingTrailingSlash
    let texts = [
      "\(issuer.url.origin)/.well-known/oauth-authorization-server\(path)",
      "\(issuer.url.origin)\(path)/.well-known/openid-configuration",
    ]
    return texts.compactMap { try? HTTPURL($0) }
  }
}

/// Typed access to metadata members; `null` is the same as not there.
private struct MetadataMembers {
  let document: JSONObject

  init(_ document: JSONObject) { self.document = document }

  func endpoint(_ name: String) throws(OAuthError.MetadataFlaw) -> HTTPURL? {
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

extension String {
  fileprivate var droppingTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
