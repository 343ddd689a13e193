package import AcctModel
package import StrictJSON

/// A resource server's description of itself, as far as signing in needs it (RFC 9728, section 2).
package struct ResourceMetadata: Equatable, Sendable {
  /// The authorization servers that it trusts, each once; at least one.
  package let issuers: [Issuer]
  /// The scopes that it knows, as far as they are well-formed.
  package let scopes: [String]

  /// Reads the description of a resource.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - resource: The resource that it must describe, character by character (section 3.3).
  ///   - place: The address of the document. The one at the root of an origin may describe the whole origin.
  /// - Throws: ``ResourceFlaw``.
  package init(_ document: JSONObject, of resource: ResourceIndicator, at place: HTTPURL) throws(ResourceFlaw) {
    let stated = document["resource"]?.stringValue
    guard let stated, Self.describes(stated, resource, at: place) else {
      throw .resource(expected: resource.description, found: stated)
    }
    var issuers: [Issuer] = []
    for text in try Self.strings("authorization_servers", in: document) {
      let issuer: Issuer
      do { issuer = try Issuer(text) } catch .refusedURL(let refusal) {
        throw .refused(member: "authorization_servers", refusal)
      } catch {
        throw .malformed(member: "authorization_servers")
      }
      if !issuers.contains(issuer) { issuers.append(issuer) }
    }
    guard !issuers.isEmpty else { throw .noServer }
    self.issuers = issuers
    // Only a message names them; a flaw in them must not keep the user from signing in.
    scopes = ((try? Self.strings("scopes_supported", in: document)) ?? []).filter(Scope.isWellFormed)
  }

  private static func strings(_ member: String, in document: JSONObject) throws(ResourceFlaw) -> [String] {
    guard let value = document[member], value != .null else { return [] }
    guard let elements = value.arrayValue else { throw .malformed(member: member) }
    var texts: [String] = []
    for element in elements {
      guard let text = element.stringValue else { throw .malformed(member: member) }
      texts.append(text)
    }
    return texts
  }

  private static func describes(_ stated: String, _ resource: ResourceIndicator, at place: HTTPURL) -> Bool {
    if stated == resource.description { return true }
    return place.origin == resource.origin && place.path == wellKnown && place.query == nil
      && (try? Origin(stated)) == resource.origin
  }

  private static let wellKnown = "/.well-known/oauth-protected-resource"

  /// The addresses of a resource's metadata, in the order in which they are requested (section 3.1).
  package static func places(for resource: ResourceIndicator) -> [HTTPURL] {
    guard let url = try? HTTPURL(resource.description) else { return [] }
    let path = url.path == "/" ? "" : url.path
    let query = url.query.map { "?\($0)" } ?? ""
    let root = "\(url.origin)\(wellKnown)"
    return (path + query == "" ? [root] : ["\(root)\(path)\(query)", root]).compactMap { try? HTTPURL($0) }
  }
}

/// Why a resource server's own description does not lead to an authorization server (RFC 9728).
package enum ResourceFlaw: Error, Equatable, Sendable {
  /// No place has a description; the status of the last one.
  case noMetadata(status: Int)
  /// A parameter of its challenge is malformed, or is a URL that acct does not use.
  case challenge(parameter: String)
  /// It describes another resource, in these words, or none (section 3.3).
  case resource(expected: String, found: String?)
  case malformed(member: String)
  case refused(member: String, ParseError.Refusal)
  /// It names no authorization server.
  case noServer
  /// It names several authorization servers, these, and the user has to choose.
  case severalServers([String])
  /// The authorization server that it names sends the browser to another origin, and its answers do not name their
  /// issuer (RFC 9207): they could be another server's.
  case signInElsewhere(Origin)
}

/// The challenge of a resource server that rejects a request without a credential (RFC 9728, section 5.1; RFC 6750,
/// section 3).
package struct ResourceChallenge: Equatable, Sendable {
  /// The address of the resource server's metadata.
  package let metadata: HTTPURL?
  /// The scope that it asks for, as words.
  package let scope: [String]

  /// Reads the challenges of an answer.
  ///
  /// - Parameters:
  ///   - status: The answer's; only a 401 counts.
  ///   - fields: Its fields. The first challenge that names the metadata counts, of any scheme, else the first that
  ///     names a scope.
  /// - Throws: ``ResourceFlaw/challenge(parameter:)`` where the challenge is no use as it is.
  package init(status: Int, fields: [(name: String, value: String)]) throws(ResourceFlaw) {
    let challenges =
      status == 401
      ? fields.values(of: "www-authenticate").flatMap(AuthenticationChallenge.parse) : []
    let challenge =
      challenges.first { $0.parameters["resource_metadata"] != nil }
      ?? challenges.first { $0.parameters["scope"] != nil }
    if let text = challenge?.parameters["resource_metadata"] {
      guard let url = try? HTTPURL(text) else { throw .challenge(parameter: "resource_metadata") }
      metadata = url
    } else {
      metadata = nil
    }
    guard let text = challenge?.parameters["scope"], !text.isEmpty else {
      scope = []
      return
    }
    guard let words = Scope.strictWords(text) else { throw .challenge(parameter: "scope") }
    scope = words
  }
}
