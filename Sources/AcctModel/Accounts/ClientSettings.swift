import Text

/// The settings of an account's client for requests to its server, beyond its identifier: at renewals, checks and
/// revocations as at the sign-in.
package struct ClientSettings: Equatable, Sendable {
  /// The client's authentication; `nil` for a client without a secret or a key.
  package var authentication: ClientAuthentication?
  /// The audience of the client's assertions that its server takes, where that is not the issuer.
  package var assertionAudience: AssertionAudience?
  /// Endpoints in place of those in the server's metadata, or of the metadata itself.
  package var endpoints: [EndpointName: HTTPURL]
  /// More parameters of each token request.
  package var tokenParameters: [RequestParameter]
  /// `true` if tokens are bound to a key where the server supports that.
  package var usesDPoP: Bool
  package var grant: Grant
  /// The provider's name as it was typed, such as `gitlab:git.example`.
  package var provider: String?
  /// `true` if the server registered the client for acct, and may give it another identifier the next time.
  package var isRegistered: Bool
  /// The certificate that the client presents in TLS, if it has one.
  package var certificate: ClientCertificate?
  /// At most one element: a copy of settings that have none counts no more than one reference.
  private var inputList: [TokenInputs]

  /// The tokens of other issuers that its requests start from.
  package var inputs: TokenInputs {
    get { inputList.first ?? TokenInputs() }
    set { inputList = newValue.isEmpty ? [] : [newValue] }
  }

  /// `true` if its requests start from tokens of other issuers, which only this machine may have.
  package var hasInputs: Bool { !inputList.isEmpty }

  package init(
    authentication: ClientAuthentication? = nil,
    assertionAudience: AssertionAudience? = nil,
    endpoints: [EndpointName: HTTPURL] = [:],
    tokenParameters: [RequestParameter] = [],
    usesDPoP: Bool = true,
    grant: Grant = .authorizationCode,
    provider: String? = nil,
    isRegistered: Bool = false,
    certificate: ClientCertificate? = nil,
    inputs: TokenInputs = TokenInputs()
  ) {
    self.authentication = authentication
    self.assertionAudience = assertionAudience
    self.endpoints = endpoints
    self.tokenParameters = tokenParameters
    self.usesDPoP = usesDPoP
    self.grant = grant
    self.provider = provider
    self.isRegistered = isRegistered
    self.certificate = certificate
    inputList = inputs.isEmpty ? [] : [inputs]
  }

  /// The settings of a public client whose server's metadata has everything else.
  package static let standard = ClientSettings()
}

/// A method by which a client authenticates itself to its authorization server.
package enum ClientAuthentication: String, Sendable, CaseIterable {
  /// It does not: a public client (RFC 6749, section 2.1).
  case none
  /// Its secret in the `Authorization` field (RFC 6749, section 2.3.1).
  case basic
  /// Its secret in the form (RFC 6749, section 2.3.1).
  case post
  /// A JWT that its key signs: `private_key_jwt` (RFC 7523, section 2.2).
  case privateKey = "private-key"
  /// Its certificate, in TLS: `tls_client_auth` or `self_signed_tls_client_auth` (RFC 8705, section 2).
  case tls
  /// A JWT of another issuer, which the platform writes to a file (RFC 7523, section 2.2).
  case assertionFile = "assertion-file"
}

/// The audience of a JWT that authenticates a client.
package enum AssertionAudience: String, Sendable {
  /// The issuer's identifier (FAPI 2.0 Security Profile, section 5.3.3; draft-ietf-oauth-rfc7523bis).
  case issuer
  /// The address of the token endpoint, which older servers expect.
  case tokenEndpoint = "token-endpoint"

  /// The other one.
  package var other: AssertionAudience {
    switch self {
    case .issuer: .tokenEndpoint
    case .tokenEndpoint: .issuer
    }
  }
}

/// An endpoint of an authorization server.
package enum EndpointName: String, Sendable, CaseIterable {
  case authorization, token, deviceAuthorization, revocation, userinfo, registration
}

/// The grant by which an account obtains its tokens.
package enum Grant: String, Sendable, CaseIterable {
  /// A person signs in, in a browser or by a device code; a refresh token renews.
  case authorizationCode
  /// The client's own authentication (RFC 6749, section 4.4), at each renewal again.
  case clientCredentials
  /// A JWT that the client's key signs, or that a file has (RFC 7523, section 2.1), at each renewal again.
  case jwtBearer
  /// A token of another issuer for one of this one (RFC 8693), at each renewal again.
  case tokenExchange

  /// `true` if a renewal requests the same grant again, without a refresh token.
  package var renewsItself: Bool {
    switch self {
    case .authorizationCode: false
    case .clientCredentials, .jwtBearer, .tokenExchange: true
    }
  }
}

/// A parameter that the user adds to the requests of a sign-in, such as `audience`.
///
/// It is not one that the protocol defines: acct sends those itself.
package struct RequestParameter: Hashable, Sendable {
  package let name: String
  package let value: String

  /// The requests that it is added to.
  package enum Place: Sendable {
    /// Those that begin a sign-in, in a browser or on another device.
    case authorization
    /// Those for tokens, where most have no scope of acct's: it follows from the sign-in.
    case token
  }

  /// - Throws: ``ParseError/parameter``, ``ParseError/ownParameter(_:)``.
  package init(name: String, value: String, in place: Place = .authorization) throws(ParseError) {
    guard !name.isEmpty, name.utf8.count <= 256, name.utf8.allSatisfy(\.isVisibleASCII),
      value.utf8.count <= 8192, value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw .parameter }
    guard !Self.own.contains(name.lowercased()) || place == .token && name == "scope" else { throw .ownParameter(name) }
    self.name = name
    self.value = value
  }

  /// Parses `NAME=VALUE`; the value may have more `=` and may be empty.
  ///
  /// - Throws: ``ParseError/parameter``, ``ParseError/ownParameter(_:)``.
  package init(_ text: String, in place: Place = .authorization) throws(ParseError) {
    guard let mark = text.firstIndex(of: "=") else { throw .parameter }
    try self.init(name: String(text[..<mark]), value: String(text[mark...].dropFirst()), in: place)
  }

  /// The parameters that acct sends itself, or that would change the destination or the form of the answer.
  ///
  /// Some servers ignore case in names, so they are not used in any.
  package static let own: Set<String> = [
    "assertion", "client_assertion", "client_assertion_type", "client_id", "client_secret", "code", "code_challenge",
    "code_challenge_method", "code_verifier", "device_code", "dpop_jkt", "grant_type", "nonce", "password",
    "redirect_uri", "refresh_token", "request", "request_uri", "requested_token_type", "resource", "response_mode",
    "response_type", "scope", "state", "subject_token", "subject_token_type", "token", "token_type_hint",
  ]
}
