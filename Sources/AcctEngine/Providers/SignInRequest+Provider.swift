package import AcctModel
package import AcctProtocol

extension SignIn {
  /// What a server's description says of who signs in, and where the tokens are used.
  package struct Identification: Sendable {
    /// Where the tokens are used; none means the issuer, or the resources.
    package var origins: [Origin] = []
    /// The issuer, where only the ID token tells its tenant.
    package var issuerTemplate: IssuerTemplate?
    /// The member of the userinfo that tells one user from another; `sub` where `nil`.
    package var subjectMember: String?
    /// The member that people know the user by.
    package var nameMember: String?

    package init() {}
  }
}

extension SignIn.Request {
  /// Takes from a provider what the user did not say.
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

  /// How the provider's clients authenticate themselves, if that is possible with what the user gives.
  private func authentication(at provider: Provider) -> ClientAuthentication? {
    switch provider.clientAuth {
    case .basic?, .post?: clientSecret != nil || clientKey == nil ? provider.clientAuth : nil
    case .privateKey?: clientKey != nil || clientSecret == nil ? provider.clientAuth : nil
    // A client without both is public by itself, and one that is known from before has its own method.
    case ClientAuthentication.none?, nil: nil
    }
  }

  /// Where the browser comes back to, on a port.
  func address(port: Int?) -> LoopbackRedirect {
    let redirect = redirect ?? .standard(port: nil)
    return LoopbackRedirect(host: redirect.host, port: port, tail: redirect.tail)
  }

  /// Where to register a client for this sign-in.
  func registration(_ provider: ResolvedProvider?, usesDevice: Bool) -> ProviderError.Registration {
    ProviderError.Registration(
      title: provider.map { $0.provider.title ?? $0.typed } ?? issuer?.description ?? "the server",
      typed: provider?.typed,
      place: provider?.registerAt ?? issuer?.url.origin.description,
      redirect: (redirect ?? .standard(port: nil)).registered,
      usesDevice: usesDevice
    )
  }
}

extension LoopbackRedirect {
  /// As it is registered for one sign-in, with its port.
  var registered: String { port.map { text(port: $0) } ?? textWithoutPort }

  /// As it is registered where the server ignores ports (RFC 8252, section 7.3).
  var textWithoutPort: String { "http://\(host.rawValue)\(tail)" }
}

extension [RequestParameter] {
  /// Adds those whose names are not there yet.
  fileprivate mutating func add(_ others: [RequestParameter]) {
    let names = Set(map(\.name))
    append(contentsOf: others.filter { !names.contains($0.name) })
  }
}
