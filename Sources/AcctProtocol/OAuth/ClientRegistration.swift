package import AcctModel
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

  package init(redirects: [String], scope: String?, usesDeviceFlow: Bool, authentication: ClientAuthentication) {
    self.redirects = redirects
    self.scope = scope
    self.usesDeviceFlow = usesDeviceFlow
    self.authentication = authentication
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

  /// Reads the answer.
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
    guard let answer = json.objectValue else { throw .malformedAnswer(member: "body") }
    func text(_ name: String) throws(OAuthError) -> String? {
      guard let value = answer[name], value != .null else { return nil }
      guard let text = value.stringValue, (1...4096).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
      else { throw .malformedAnswer(member: name) }
      return text
    }
    guard let clientID = try text("client_id") else { throw .malformedAnswer(member: "client_id") }
    self.clientID = clientID
    let given = try text("client_secret")
    let method = try text("token_endpoint_auth_method")
    switch method {
    case nil: authentication = given == nil ? .none : fallback
    case let method?:
      let known: [ClientAuthentication] = [.none, .basic, .post]
      guard let found = known.first(where: { $0.registeredName == method }) else {
        throw .malformedAnswer(member: "token_endpoint_auth_method")
      }
      authentication = found
    }
    guard authentication == .none || given != nil else { throw .malformedAnswer(member: "client_secret") }
    // A public client must not send a secret that it was given unasked.
    secret = authentication == .none ? nil : given.map { Secret($0) }
    secretExpiresAt = try Self.end(answer["client_secret_expires_at"])
    try Self.check(answer["redirect_uris"], against: request.redirects)
  }

  /// 0 is no end (section 3.2.1).
  private static func end(_ value: JSON?) throws(OAuthError) -> Timestamp? {
    guard let value, value != .null else { return nil }
    guard let seconds = value.numberValue?.integer, seconds >= 0 else {
      throw .malformedAnswer(member: "client_secret_expires_at")
    }
    return seconds == 0 ? nil : Timestamp(clamped: seconds)
  }

  /// A server that registered other addresses would send the user, with the code, there.
  private static func check(_ value: JSON?, against redirects: [String]) throws(OAuthError) {
    guard let value, value != .null else { return }
    guard let registered = value.arrayValue, registered.contains(where: { redirects.contains($0.stringValue ?? "") })
    else { throw .malformedAnswer(member: "redirect_uris") }
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
