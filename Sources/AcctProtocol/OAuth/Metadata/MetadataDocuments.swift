package import AcctModel
package import StrictJSON

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
