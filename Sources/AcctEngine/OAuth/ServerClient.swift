import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets
import StrictJSON
import Synchronization

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

extension ServerClient {
  /// The form of a grant that needs no person.
  func directGrant(
    _ scope: String?,
    _ resources: [ResourceIndicator],
    of server: AuthorizationServer,
    _ moment: Moment
  ) throws(EngineError) -> FormBody {
    if let token = tokens.grant {
      guard settings.grant == .tokenExchange else {
        return DirectGrant.jwtBearer(token, clientID: formID, scope: scope, resources: resources)
      }
      return DirectGrant.tokenExchange(
        token,
        settings.inputs,
        clientID: formID,
        scope: scope,
        resources: resources
      )
    }
    guard signsGrant, let id, let key else {
      return DirectGrant.clientCredentials(clientID: formID, scope: scope, resources: resources)
    }
    func claim(_ name: String) -> String? { settings.tokenParameters.last { $0.name == name }?.value }
    var claims = JSONObject()
    // Some servers read the scope only in the assertion.
    claims["scope"] = scope.map(JSON.string)
    let assertion = try assertion(
      key,
      issuer: id,
      subject: claim("sub"),
      audience: claim("aud") ?? server.tokenEndpoint.description,
      claims,
      moment
    )
    return DirectGrant.jwtBearer(
      assertion,
      clientID: method == .none ? nil : formID,
      scope: scope,
      resources: resources
    )
  }

  /// `true` if its key signs the assertion of its grant.
  var signsGrant: Bool { settings.grant == .jwtBearer && settings.inputs.grantToken == nil }

  /// The codes with which a server rejects an assertion of the client's own: for its time, among other reasons.
  var assertionRefusals: Set<String> {
    var codes: Set<String> = []
    if method == .privateKey { codes.insert("invalid_client") }
    if signsGrant { codes.insert("invalid_grant") }
    return codes
  }

  /// A JWT that the client's key signs.
  func assertion(
    _ key: ClientKey,
    issuer: String,
    subject: String?,
    audience: String,
    _ claims: JSONObject,
    _ moment: Moment
  ) throws(EngineError) -> Secret {
    do {
      return try ClientAssertion.make(
        key: key,
        issuer: issuer,
        subject: subject,
        audience: audience,
        claims: claims,
        now: moment.now,
        random: moment.random
      )
    } catch { throw .key(.clientKey(error)) }
  }
}

/// The audience of a client's assertions that a server accepts, as far as its responses have shown.
///
/// A command sends requests to several endpoints of a server: an audience that the first has accepted is used at the
/// next.
final class KnownAudience: Sendable {
  private let known: Mutex<AssertionAudience>

  /// - Parameter audience: The audience to begin with.
  init(_ audience: AssertionAudience) { known = Mutex(audience) }

  /// The audience of the next assertion.
  var current: AssertionAudience { known.withLock { $0 } }

  /// Notes that a server has accepted an assertion for this audience.
  func learn(_ audience: AssertionAudience) { known.withLock { $0 = audience } }
}

extension ServerClient {
  /// The audience for a second attempt at an endpoint that has rejected the client; `nil` if there is none.
  ///
  /// An assertion for the token endpoint goes only to that endpoint's own origin: a server that names another's as its
  /// own gets none that the other would accept (draft-ietf-oauth-rfc7523bis, section 1).
  ///
  /// - Parameters:
  ///   - answer: The endpoint's answer to the first attempt.
  ///   - audience: The audience of the first attempt.
  ///   - endpoint: The endpoint.
  ///   - server: The server of the endpoint.
  /// - Returns: The other audience; `nil` if it is of no use, or must not be disclosed to the endpoint.
  func nextAudience(
    after answer: ServerAnswer,
    to audience: AssertionAudience,
    at endpoint: HTTPURL,
    of server: AuthorizationServer
  ) -> AssertionAudience? {
    guard answer.errorCode == "invalid_client", server.issuer != nil,
      audience.other == .issuer || endpoint.origin == server.tokenEndpoint.origin
    else { return nil }
    return audience.other
  }
}

extension ServerAnswer {
  /// `true` if the server has authenticated the client: it granted something, or rejected another part of the request.
  var hasTakenClient: Bool {
    switch errorCode {
    case nil: (200..<300).contains(status)
    case "invalid_client"?: false
    default: (200..<500).contains(status)
    }
  }
}

extension AuthorizationServer {
  /// The server's name in an assertion; a server that is known only by its endpoints has no other than the address of
  /// its token endpoint.
  func name(for audience: AssertionAudience) -> String {
    switch audience {
    case .issuer: issuer?.description ?? tokenEndpoint.description
    case .tokenEndpoint: tokenEndpoint.description
    }
  }
}
