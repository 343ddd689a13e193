package import AcctModel
package import Secrets
import AcctPorts
package import AcctProtocol
package import Release

/// Credentials that are not stored yet, from any source.
package struct NewCredentials: Sendable {
  package var kind: Account.Kind
  package var tokenType: Account.TokenType
  @Boxed package var identity: Identity
  /// The names that the server has stated for the user.
  @Boxed package var subjectStatements = SubjectStatements()
  /// Their source; `nil` if it is unknown.
  package var source: AccountSource?
  package var issuerSource: IssuerSource?
  package var handle: Handle?
  package var did: DID?
  package var displayName: String?
  /// The user's name at the server, as people know it.
  package var userName: String?
  package var service: Origin?
  package var origins: OwnOrigins
  package var scope: String?
  /// The resource servers that its tokens are requested for.
  package var resources: [ResourceIndicator] = []
  /// The settings of its client's requests.
  @Boxed package var client: ClientSettings = .standard
  /// The settings of the sign-in that obtained them.
  @Boxed package var signIn: SignInSettings? = nil
  package var tokenLifetime: TokenLifetime
  package var sessionEndsAt: Timestamp?
  /// When their server gave or confirmed them; `nil` for those of a file that does
  /// not say when.
  package var validatedAt: Timestamp?
  /// The backend's limits for a guest.
  @Boxed package var limitations: GuestLimitations? = nil
  /// The field and form in which a static token is sent.
  @Boxed package var sentAs: StaticHeader? = nil
  /// The program whose login it is.
  package var keptFor: Account.KeepingProgram?
  package var token: Token
  package var refreshToken: RefreshToken?
  @Boxed package var idToken: IDToken? = nil
  @Boxed package var key: DPoPKey? = nil
  /// `true` if the user chose the place of the key.
  package var isKeyChosen = false
  /// The client's secret.
  @Boxed package var clientSecret: Secret? = nil
  @Boxed package var clientKey: ClientKey? = nil
  /// The client's certificate for TLS, with its key; ``client`` describes it.
  @Boxed package var certificate: CertifiedKey? = nil
  /// The access to the client's registration, if acct registered it and its server gave any.
  @Boxed package var registrationAccess: RegistrationAccess? = nil
  /// Notices from the sign-in that obtained them.
  package var notices: [Notice] = []
}

extension NewCredentials {
  /// Takes the credentials of a handoff.
  ///
  /// - Parameters:
  ///   - handoff: Credentials and their description; nothing in it proves its author.
  ///   - source: Its source.
  ///   - certificate: The client's certificate for TLS, which the handoff was read with, if it has one.
  ///   - files: The files that the certificate was read from.
  ///   - redactor: Removes secrets from the description.
  package init(
    _ handoff: Handoff,
    from source: AccountSource?,
    presenting certificate: CertifiedKey? = nil,
    _ files: ClientCertificate.Files? = nil,
    redacting redactor: Redactor
  ) {
    self.init(
      kind: .oauth,
      tokenType: handoff.tokenType,
      identity: handoff.identity,
      source: source,
      issuerSource: handoff.issuerSource,
      handle: handoff.handle,
      did: handoff.did,
      displayName: handoff.displayName.map(redactor.redact),
      service: handoff.service,
      origins: handoff.origins,
      scope: handoff.scope.map(redactor.redact),
      tokenLifetime: handoff.tokenLifetime,
      validatedAt: handoff.issuedAt,
      token: handoff.accessToken,
      refreshToken: handoff.refreshToken,
      idToken: handoff.idToken,
      key: handoff.key,
      certificate: certificate,
      notices: handoff.blemishes.compactMap(Notice.init)
    )
    client.certificate = certificate?.note(isBound: handoff.isCertificateBound, files)
  }

  /// Takes a credential that a backend issued, which says no more of it.
  package init(
    _ kind: Account.Kind,
    _ token: Token,
    as tokenType: Account.TokenType,
    of identity: Identity,
    from backend: Origin,
    until tokenLifetime: TokenLifetime
  ) {
    self.init(
      kind: kind,
      tokenType: tokenType,
      identity: identity,
      source: .backend(backend),
      service: backend,
      origins: OwnOrigins([backend]),
      tokenLifetime: tokenLifetime,
      token: token
    )
  }

  /// The account that stores these credentials.
  func account(_ id: AccountID, _ name: AccountName, createdAt: Timestamp) -> Account {
    var account = Account(
      id: id,
      name: name,
      kind: kind,
      tokenType: tokenType,
      identity: identity,
      subjectStatements: subjectStatements,
      source: source,
      handle: handle,
      did: did,
      displayName: displayName ?? userName,
      issuerSource: issuerSource,
      service: service,
      origins: origins,
      scope: scope,
      resources: resources,
      client: client,
      signIn: signIn,
      thumbprint: key?.thumbprint,
      keyStorage: key?.storage ?? .software,
      tokenLifetime: tokenLifetime,
      sessionEndsAt: sessionEndsAt,
      limitations: limitations,
      sentAs: sentAs,
      keptFor: keptFor,
      validatedAt: validatedAt,
      createdAt: createdAt
    )
    if notices.contains(where: { if case .scopeUnknown = $0 { true } else { false } }) {
      account.marks = [.scopeUnknown]
    }
    return account
  }

  /// The keyring items, in the order in which they are written.
  ///
  /// The key and the refresh token come first: with them alone, all later items can be obtained again.
  var items: [Keyring.Item] {
    var items: [Keyring.Item] = []
    if let key { items.append(.init(.keypair, key.item)) }
    if let clientSecret { items.append(.init(.clientSecret, clientSecret)) }
    if let clientKey { items.append(.init(.clientKey, clientKey.privateJWK)) }
    if let certificate {
      items += [.init(.certificate, certificate.certificate), .init(.certificateKey, certificate.keyItem)]
    }
    if let refreshToken { items.append(.init(refreshToken)) }
    items.append(.init(kind.tokenItem, token))
    if let idToken { items.append(.init(.idToken, idToken.token)) }
    if let expiresAt = tokenLifetime.expiresAt, kind == .oauth {
      items.append(.init(.expiresAt, Secret(expiresAt.description)))
    }
    if let handle { items.append(.init(.handle, Secret(handle.description))) }
    if let did { items.append(.init(.did, Secret(did.description))) }
    if let registrationAccess { items.append(.init(.registration, registrationAccess.item)) }
    return items
  }

  /// The account's name if the user gives none: handle, DID, guest or subject at server, the provider of a key, and the
  /// user of another static token, if it has one, at its first place; the place alone if the token is the user.
  package var suggestedName: String {
    if let sentAs {
      if let provider = client.provider.flatMap({ ProviderName($0) }) { return provider.accountName }
      if case .userIsToken = sentAs.form, let place = origins.places.first { return place.name }
      return [sentAs.user ?? userName ?? "static", origins.places.first?.name].compactMap(\.self).joined(separator: "@")
    }
    if let handle { return handle.description }
    if let did { return did.description }
    let server = identity.issuer?.url.origin ?? service
    let subject = kind == .guest ? "guest" : userName ?? identity.subject
    // A mail address is a name by itself, and so is a server that does not name its user.
    if let subject, client.provider != nil && subject.contains("@") || subject == server?.authority { return subject }
    return [subject, server?.authority].compactMap(\.self).joined(separator: "@")
  }
}

extension StaticHeader {
  /// The user of the scheme `Basic`; `nil` without one, or if it is empty.
  fileprivate var user: String? {
    switch form {
    case .basic(let user): user.isEmpty ? nil : user
    case .bare, .scheme, .userIsToken, .query: nil
    }
  }
}
