import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// A client as one authorization server gets to know it: its identifier, and how it authenticates itself.
struct ServerClient: Sendable {
  let id: String?
  let settings: ClientSettings
  let method: ClientAuthentication
  private let secret: Secret?
  let key: ClientKey?
  /// The audience of its assertions, as its server has been found to want it.
  let audience: KnownAudience

  /// - Parameters:
  ///   - id: The client identifier.
  ///   - settings: How it asks its server.
  ///   - secret: Its secret, if there is one.
  ///   - key: Its key, if there is one.
  ///   - server: Says how clients may authenticate themselves, where the settings don't.
  init(id: String?, _ settings: ClientSettings, secret: Secret?, key: ClientKey?, at server: AuthorizationServer) {
    self.id = id
    self.settings = settings
    self.secret = secret
    self.key = key
    audience = KnownAudience(settings.assertionAudience ?? .issuer)
    method =
      settings.authentication
      ?? (secret != nil
        ? server.secretMethod : key != nil && settings.grant != .jwtBearer ? .privateKey : .none)
  }

  /// Whether what the method needs is there.
  var isComplete: Bool {
    guard settings.grant != .jwtBearer || key != nil else { return false }
    return switch method {
    case .none: true
    case .basic, .post: secret != nil && id != nil
    case .privateKey: key != nil && id != nil
    }
  }

  /// The settings with the method and the audience that were found, for requests to come.
  var remembered: ClientSettings {
    var settings = settings
    if method != .none { settings.authentication = method }
    settings.assertionAudience = rememberedAudience
    return settings
  }

  /// The audience that is worth being kept: the issuer is what each new client begins with.
  var rememberedAudience: AssertionAudience? {
    method == .privateKey && audience.current == .tokenEndpoint ? .tokenEndpoint : nil
  }

  /// The identifier in a form of the token endpoint and its like.
  ///
  /// A client that authenticates itself by Basic has named itself there (RFC 6749, section 4.1.3), and strict
  /// servers take a second place for a second method.
  var formID: String? { method == .basic ? nil : id }

  /// What an assertion is made of.
  struct Moment {
    /// The time at the server.
    var now: Timestamp
    /// 16 fresh random bytes.
    var random: [UInt8]
  }

  /// Adds what authenticates the client to a request.
  ///
  /// - Parameters:
  ///   - form: Gets what stands in the body.
  ///   - server: Where it goes.
  ///   - audience: For an assertion.
  ///   - moment: For an assertion, which is good once.
  /// - Returns: The field that it takes, if any.
  /// - Throws: ``KeyError/clientKey(_:)``.
  func authenticate(
    _ form: inout FormBody,
    of server: AuthorizationServer,
    for audience: AssertionAudience,
    _ moment: Moment
  ) throws(EngineError) -> HeaderField? {
    switch method {
    case .none: return nil
    case .basic:
      guard let id, let secret else { return nil }
      return HeaderField("Authorization", BasicCredentials.value(client: id, secret: secret))
    case .post:
      if let secret { form.add("client_secret", secret) }
      return nil
    case .privateKey:
      guard let id, let key else { return nil }
      form.add("client_assertion_type", ClientAssertion.type)
      form.add(
        "client_assertion",
        try assertion(key, issuer: id, subject: id, audience: server.name(for: audience), [:], moment)
      )
      return nil
    }
  }

  /// The user's parameters of token requests, but for those that are claims of the grant's assertion.
  var formParameters: [RequestParameter] {
    settings.tokenParameters.filter { settings.grant != .jwtBearer || !DirectGrant.claims.contains($0.name) }
  }
}

extension AuthorizationServer {
  /// How a client sends its secret where it is not told: by Basic, unless only the form is taken (RFC 8414,
  /// section 2).
  fileprivate var secretMethod: ClientAuthentication {
    guard let methods = clientAuthenticationMethods, !methods.contains("client_secret_basic"),
      methods.contains("client_secret_post")
    else { return .basic }
    return .post
  }
}

extension RequestRefusal.Asked {
  /// What a sign-in asks for.
  init(_ client: ServerClient, _ scope: String?, _ resources: [ResourceIndicator]) {
    self.init(clientID: client.id, method: client.method, scope: scope, targets: resources.map(\.description))
  }

  /// What a renewal asks for, or a request for a second token.
  init(_ account: Account, for purpose: TokenPurpose?, by client: ServerClient) {
    let own = account.resources.first.map { [$0.description] } ?? account.ownGrant?.audiences ?? []
    self.init(
      clientID: client.id,
      method: client.method,
      scope: purpose?.scopeText ?? account.scope,
      targets: purpose?.audience.map { [$0] } ?? own,
      account: account,
      isSecondToken: purpose != nil
    )
  }
}
