import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON
import Release

/// A client of one authorization server: its identifier, and its authentication.
final class ServerClient: Sendable {
  let id: String?
  let settings: ClientSettings
  let method: ClientAuthentication
  private let secret: Secret?
  let key: ClientKey?
  /// Its certificate for TLS, if it has one, with the key.
  let certificate: CertifiedKey?
  /// The tokens of other issuers that its requests start from.
  let tokens: ReadTokens
  /// The audience of its assertions that its server accepts, as far as is known.
  let audience: KnownAudience

  /// - Parameters:
  ///   - id: The client identifier.
  ///   - settings: The settings of its requests.
  ///   - secret: Its secret, if there is one.
  ///   - key: Its key, if there is one.
  ///   - certificate: Its certificate for TLS, if there is one.
  ///   - tokens: The tokens that its requests start from.
  ///   - server: Provides the authentication methods, if the settings name none.
  init(
    id: String?,
    _ settings: ClientSettings,
    secret: Secret?,
    key: ClientKey?,
    certificate: CertifiedKey? = nil,
    tokens: ReadTokens = ReadTokens(),
    at server: AuthorizationServer
  ) {
    self.id = id
    self.tokens = tokens
    self.settings = settings
    self.secret = secret
    self.key = key
    self.certificate = certificate
    audience = KnownAudience(settings.assertionAudience ?? .issuer)
    method =
      settings.authentication
      ?? (settings.inputs.clientAssertion != nil
        ? .assertionFile
        : secret != nil
          ? server.secretMethod
          : key != nil && settings.grant != .jwtBearer
            ? .privateKey : certificate != nil && server.takesCertificates ? .tls : .none)
  }

  /// `true` if it has everything that its method and its grant need.
  var isComplete: Bool {
    guard settings.certificate == nil || certificate != nil else { return false }
    switch settings.grant {
    case .authorizationCode, .clientCredentials: break
    case .jwtBearer: guard key != nil || settings.inputs.grantToken != nil else { return false }
    case .tokenExchange: guard settings.inputs.grantToken != nil else { return false }
    }
    return switch method {
    case .none: true
    case .basic, .post: secret != nil && id != nil
    case .privateKey: key != nil && id != nil
    case .tls: certificate != nil && id != nil
    case .assertionFile: settings.inputs.clientAssertion != nil
    }
  }

  /// The certificate and the key that it presents to its server.
  var identity: TLSIdentity? { certificate.map(TLSIdentity.init) }

  /// The settings with the method and the audience that were found, for later requests.
  var remembered: ClientSettings {
    var settings = settings
    if method != .none { settings.authentication = method }
    settings.assertionAudience = rememberedAudience
    return settings
  }

  /// The audience that has to be stored: a new client begins with the issuer.
  var rememberedAudience: AssertionAudience? {
    method == .privateKey && audience.current == .tokenEndpoint ? .tokenEndpoint : nil
  }

  /// The identifier in a form for the token endpoint and similar ones.
  ///
  /// A client that authenticates itself by Basic has named itself there (RFC 6749, section 4.1.3), and strict servers
  /// take a second identifier for a second method.
  var formID: String? { method == .basic ? nil : id }

  /// The time and the random bytes of an assertion.
  struct Moment {
    /// The time at the server.
    var now: Timestamp
    /// 16 fresh random bytes.
    var random: [UInt8]
  }

  /// Adds the client's authentication to a request.
  ///
  /// - Parameters:
  ///   - form: The form, to which the parameters of the authentication are added.
  ///   - server: The server of the request.
  ///   - audience: For an assertion.
  ///   - moment: The time and random bytes of an assertion, which is valid once.
  /// - Returns: The header field of the authentication, if it has one.
  /// - Throws: ``KeyError/clientKey(_:)``.
  func authenticate(
    _ form: inout FormBody,
    of server: AuthorizationServer,
    for audience: AssertionAudience,
    _ moment: Moment
  ) throws(EngineError) -> HeaderField? {
    switch method {
    // Its identifier in the form is enough (RFC 8705, section 2).
    case .none, .tls: return nil
    case .assertionFile:
      guard let assertion = tokens.client else { return nil }
      form.add("client_assertion_type", ClientAssertion.type)
      form.add("client_assertion", assertion)
      return nil
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

  /// The user's parameters of token requests, without those that are claims of the grant's assertion.
  var formParameters: [RequestParameter] {
    settings.tokenParameters.filter { !signsGrant || !DirectGrant.claims.contains($0.name) }
  }
}

extension AuthorizationServer {
  /// `true` if a client may authenticate itself by its certificate (RFC 8705, section 2).
  fileprivate var takesCertificates: Bool {
    clientAuthenticationMethods?.contains { ["tls_client_auth", "self_signed_tls_client_auth"].contains($0) } ?? false
  }

  /// The default method for a client's secret: Basic, unless the server accepts only the form (RFC 8414, section 2).
  fileprivate var secretMethod: ClientAuthentication {
    guard let methods = clientAuthenticationMethods, !methods.contains("client_secret_basic"),
      methods.contains("client_secret_post")
    else { return .basic }
    return .post
  }
}

extension RequestRefusal.Asked {
  /// The parameters of a sign-in.
  init(_ client: ServerClient, _ scope: String?, _ resources: [ResourceIndicator]) {
    self.init(
      clientID: client.id,
      method: client.method,
      scope: scope,
      targets: resources.map(\.description),
      isRegistered: client.settings.isRegistered
    )
  }

  /// The parameters of a renewal, or of a request for a second token.
  init(_ account: Account, for purpose: TokenPurpose?, by client: ServerClient) {
    let own = account.resources.first.map { [$0.description] } ?? account.ownGrant?.audiences ?? []
    self.init(
      clientID: client.id,
      method: client.method,
      scope: purpose?.scopeText ?? account.scope,
      targets: purpose?.audience.map { [$0] } ?? own,
      account: account,
      isSecondToken: purpose != nil,
      isRegistered: account.client.isRegistered
    )
  }
}
