package import AcctModel
package import Release
package import Secrets
package import StrictJSON

/// A request to register a client for this user (RFC 7591, section 3.1): a native one on this machine.
package struct ClientRegistration: Sendable {
  /// The addresses that a sign-in can end at.
  package let redirects: [String]
  /// The scope of the client; `nil` for the server's default.
  package let scope: String?
  /// `true` if the client registers the grant type of the device flow.
  package let usesDeviceFlow: Bool
  /// The method by which the client will authenticate itself: `none` unless the server has only others.
  package let authentication: ClientAuthentication
  /// The algorithm that signs its ID tokens; `nil` for the server's default, which is RS256.
  package let idTokenAlgorithm: String?

  package init(
    redirects: [String],
    scope: String?,
    usesDeviceFlow: Bool,
    authentication: ClientAuthentication,
    idTokenAlgorithm: String? = nil
  ) {
    self.redirects = redirects
    self.scope = scope
    self.usesDeviceFlow = usesDeviceFlow
    self.authentication = authentication
    self.idTokenAlgorithm = idTokenAlgorithm
  }

  /// The name that the server's pages show to the user.
  private static let clientName = "acct"

  /// The request's body (RFC 7591, section 2).
  package var json: JSON {
    var grants: [JSON] = ["authorization_code", "refresh_token"]
    if usesDeviceFlow { grants.append("urn:ietf:params:oauth:grant-type:device_code") }
    var object: JSONObject = [
      "client_name": .string(Self.clientName),
      "application_type": "native",
      "redirect_uris": .array(redirects.map(JSON.string)),
      "response_types": ["code"],
      "grant_types": .array(grants),
      "token_endpoint_auth_method": .string(authentication.registeredName),
    ]
    object["scope"] = scope.map(JSON.string)
    object["id_token_signed_response_alg"] = idTokenAlgorithm.map(JSON.string)
    return .object(object)
  }

  /// The request's form for Mastodon, in the version that takes only one text of addresses.
  package var mastodonForm: FormBody {
    var form = FormBody()
    form.add("client_name", Self.clientName)
    form.add("redirect_uris", redirects.joined(separator: "\n"))
    form.add("scopes", scope)
    return form
  }
}

/// A client that a server has registered (RFC 7591, section 3.2.1).
package struct RegisteredClient: Sendable {
  package let clientID: String
  package let authentication: ClientAuthentication
  package let secret: Secret?
  /// When the secret ends; `nil` if it does not.
  package let secretExpiresAt: Timestamp?
  /// The access to the registration itself, if the server gave any.
  package let access: RegistrationAccess?
  /// The flaws of the answer that cost nothing of the registration.
  package let blemishes: [Blemish]

  /// Reads the answer, of which the identifier alone is needed.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - request: The registration that was requested; the server may have changed it.
  ///   - fallback: The authentication of a client with a secret, if the answer does not name a method.
  /// - Throws: ``OAuthError/malformedAnswer(member:)``.
  package init(
    _ json: JSON,
    to request: ClientRegistration,
    fallback: ClientAuthentication = .basic
  ) throws(OAuthError) {
    guard let object = json.objectValue else { throw .malformedAnswer(member: "body") }
    try self.init(GrantMembers(object), to: request, fallback: fallback)
  }

  /// Reads the answer as a grant; see ``init(_:to:fallback:)-(JSON,_,_)``.
  package init(
    _ answer: GrantMembers,
    to request: ClientRegistration,
    fallback: ClientAuthentication = .basic
  ) throws(OAuthError) {
    var answer = answer
    guard let clientID = answer.parsed("client_id", Self.line) else { throw .malformedAnswer(member: "client_id") }
    self.clientID = clientID
    let given = answer.parsed("client_secret", Self.line)
    // A method that acct can't use would be found out only after the user has signed in.
    if let name = answer.value("token_endpoint_auth_method")?.stringValue {
      let known: [ClientAuthentication] = [.none, .basic, .post]
      guard let found = known.first(where: { $0.registeredName == name }) else {
        throw .malformedAnswer(member: "token_endpoint_auth_method")
      }
      authentication = given == nil ? .none : found
    } else {
      authentication = given == nil ? .none : fallback
    }
    // A public client must not send a secret that it was given unasked.
    secret = authentication == .none ? nil : given.map { Secret($0) }
    // 0 is no end (section 3.2.1).
    let end = answer.value("client_secret_expires_at")
    secretExpiresAt = end?.looseSeconds.map(Timestamp.init(clamped:))
    if let end, end.looseNumber.map({ $0 < 0 }) ?? true { answer.note(.member("client_secret_expires_at")) }
    access = RegistrationAccess(&answer)
    try Self.check(answer.value("redirect_uris"), against: request.redirects)
    blemishes = answer.blemishes
  }

  /// A text that can be sent in a form and shown on a line.
  private static func line(_ text: String) throws(ParseError) -> String {
    guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw .token
    }
    return text
  }

  /// A server that registered other addresses would send the user, with the code, there; one that lists none has not.
  private static func check(_ value: JSON?, against redirects: [String]) throws(OAuthError) {
    let registered = value?.arrayValue?.compactMap(\.stringValue) ?? [value?.stringValue].compactMap(\.self)
    guard registered.isEmpty || registered.contains(where: redirects.contains) else {
      throw .malformedAnswer(member: "redirect_uris")
    }
  }
}

extension ClientAuthentication {
  /// The name of the registry of RFC 7591, section 2.
  package var registeredName: String {
    switch self {
    case .none: "none"
    case .basic: "client_secret_basic"
    case .post: "client_secret_post"
    case .privateKey, .assertionFile: "private_key_jwt"
    case .tls: "tls_client_auth"
    }
  }
}

/// The access to a client's own registration, which its server gave with it (RFC 7592, section 3).
package struct RegistrationAccess: Sendable {
  /// The address of the registration.
  package let url: HTTPURL
  package let token: Token

  /// Reads the members of a registration's answer; `nil` if the server gave no access that can be used.
  init?(_ answer: inout GrantMembers) {
    guard let url = answer.parsed("registration_client_uri", HTTPURL.init),
      let token = answer.token("registration_access_token")
    else { return nil }
    self.url = url
    self.token = token
  }

  /// Reads an item; `nil` for one that acct has not written.
  package init?(_ item: Secret) {
    let members = item.withBytes { bytes in try? JSON(parsing: bytes) }?.objectValue
    guard members?["version"]?.numberValue?.integer == 1,
      let url = members?["url"]?.stringValue.flatMap({ try? HTTPURL($0) }),
      let token = members?["token"]?.stringValue.flatMap({ try? Token($0) })
    else { return nil }
    self.url = url
    self.token = token
  }

  /// The item.
  package var item: Secret {
    let token = token.opened(for: .keyring).withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    var bytes = (["version": 1, "url": .string(url.description), "token": .string(token)] as JSON).serialized()
    return Secret(consuming: &bytes)
  }
}
