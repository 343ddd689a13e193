package import AcctModel
package import AcctProtocol

extension SignIn {
  /// The part of a server's description about the user's identity, and the servers that the tokens are for.
  package struct Identification: Sendable {
    /// The origins at which the tokens are used; if empty, the issuer, or the resources.
    package var origins: [Origin] = []
    /// The template of the issuer, if only the ID token names its tenant.
    package var issuerTemplate: IssuerTemplate?
    /// The member of the userinfo that distinguishes users; `sub` if `nil`.
    package var subjectMember: String?
    /// The member with the name that people know the user by.
    package var nameMember: String?

    package init() {}
  }
}

extension SignIn.Request {
  /// Fills in values from a provider that the user did not give.
  package mutating func fill(from resolved: ResolvedProvider) {
    let provider = resolved.provider
    issuer = issuer ?? resolved.issuer
    settings.provider = resolved.typed
    settings.endpoints.merge(resolved.endpoints) { own, _ in own }
    settings.authentication = settings.authentication ?? authentication(at: provider)
    if provider.keyBinding == .never { settings.usesDPoP = false }
    settings.tokenParameters.add(provider.tokenParameters)
    authorizationParameters.add(provider.authorizationParameters)
    redirect =
      redirect
      ?? provider.redirect.map { LoopbackRedirect(host: $0.host, port: redirectPort ?? $0.port, tail: $0.tail) }
    scope = resolved.scope(scope)
    if provider.scopeParameter != "scope", let scope,
      let parameter = try? RequestParameter(name: provider.scopeParameter, value: scope)
    {
      authorizationParameters.add([parameter])
      self.scope = nil
    }
    identification.origins = resolved.origins
    identification.issuerTemplate = resolved.issuerTemplate
    identification.subjectMember = provider.subjectMember
    identification.nameMember = provider.nameMember
  }

  /// The authentication of the provider's clients, if it is possible with the user's secret or key.
  private func authentication(at provider: Provider) -> ClientAuthentication? {
    switch provider.clientAuth {
    case .basic?, .post?: clientSecret != nil || clientKey == nil ? provider.clientAuth : nil
    case .privateKey?: clientKey != nil || clientSecret == nil ? provider.clientAuth : nil
    case .tls?: certificate != nil ? provider.clientAuth : nil
    // A client without both is public by itself, and a known one has its own method.
    case ClientAuthentication.none?, .assertionFile?, nil: nil
    }
  }

  /// The redirect address of the browser, with a port.
  func address(port: Int?) -> LoopbackRedirect {
    let redirect = redirect ?? .standard(port: nil)
    return LoopbackRedirect(host: redirect.host, port: port, tail: redirect.tail)
  }

  /// The instructions for registering a client for this sign-in.
  func registration(_ provider: ResolvedProvider?, usesDevice: Bool) -> ProviderError.Registration {
    let redirect = (redirect ?? .standard(port: nil)).registered
    return ProviderError.Registration(
      title: provider.map { $0.provider.title ?? $0.typed } ?? issuer?.description,
      typed: provider?.typed,
      place: provider?.registerAt ?? issuer?.url.origin.description,
      page: provider?.registrationPage(redirect),
      redirect: redirect,
      usesDevice: usesDevice
    )
  }
}

extension LoopbackRedirect {
  /// The text that is registered for one sign-in, with its port.
  package var registered: String { port.map { text(port: $0) } ?? textWithoutPort }

  /// The text that is registered if the server ignores ports (RFC 8252, section 7.3).
  var textWithoutPort: String { "http://\(host.rawValue)\(tail)" }
}

extension [RequestParameter] {
  /// Adds the parameters whose names are not present yet.
  fileprivate mutating func add(_ others: [RequestParameter]) {
    let names = Set(map(\.name))
    append(contentsOf: others.filter { !names.contains($0.name) })
  }
}
