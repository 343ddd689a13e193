package import AcctModel
import AcctPorts
package import AcctProtocol
import Release
package import Secrets

/// Signs in to an account that exists, in the way in which it was signed in to before.
package struct Login: Sendable {
  let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The differences of this sign-in from the one before.
  package struct Changes: Sendable {
    /// The scope from now on; an empty one is the server's usual one.
    package var scope: String?
    /// `true` for a sign-in on another device, this time.
    package var usesDevice = false
    /// `true` for a sign-in in the browser, this time.
    package var usesBrowser = false
    /// `true` for bearer tokens from now on, even of a server that can bind them to a key.
    package var wantsBearer = false
    package var opensBrowser: Bool
    /// The longest wait for the callback, in seconds.
    package var callbackTimeout: Int64
    /// Another client, from now on.
    package var clientID: String?
    /// `true` for another client of those that the server registers.
    package var registersAnew = false
    package var clientSecret: Secret?
    package var clientKey: ClientKey?
    /// Another certificate for TLS, from now on, with its key.
    package var certificate: CertifiedKey?
    /// The files that it was read from.
    package var certificateFiles: ClientCertificate.Files?
    /// Where a new DPoP key is made; `nil`: where the account has its own.
    package var keyPlace: KeyPlace?
    /// More parameters of this sign-in alone.
    package var authorizationParameters: [RequestParameter] = []

    package init(opensBrowser: Bool, callbackTimeout: Int64) {
      self.opensBrowser = opensBrowser
      self.callbackTimeout = callbackTimeout
    }
  }

  /// The way in which an account signs in at a server.
  ///
  /// An account of an earlier version has no ``SignInSettings``: then what it was granted is asked for again.
  ///
  /// - Throws: ``SignInError/noWay(account:)`` for an import that names no server; ``ProviderError`` where its provider is
  ///   not known any more.
  package func way(of account: Account, _ changes: Changes) throws(EngineError) -> SignInWay {
    let settings =
      account.signIn
      // A provider has a scope of its own.
      ?? SignInSettings(scope: account.client.provider == nil ? account.scope : nil)
    // An account that a backend issued signs in there, or not at all.
    guard account.source?.backend == nil, account.kind != .session || account.service == nil else {
      throw .signIn(.noWay(account: account.name))
    }
    // Only a file of the user's names both a DID and an issuer, perhaps with a client of another app's.
    if let did = account.did, account.issuerSource != .given || account.hasLoopbackClient {
      return .network(network(account, did, settings, changes))
    }
    let namesItself = account.identity.clientID != nil || account.client.inputs.grantToken != nil
    guard account.hasServer, namesItself else { throw .signIn(.noWay(account: account.name)) }
    return .server(try server(account, settings, changes))
  }

  private func scope(_ settings: SignInSettings, _ changes: Changes) -> String? {
    guard let scope = changes.scope else { return settings.scope }
    return scope.isEmpty ? nil : scope
  }

  private func network(
    _ account: Account,
    _ did: DID,
    _ settings: SignInSettings,
    _ changes: Changes
  ) -> ATProtoSignIn.Request {
    var request = ATProtoSignIn.Request(
      identifier: .did(did),
      loginHint: account.handle?.description ?? did.description,
      clientID: changes.clientID ?? (account.hasLoopbackClient ? nil : account.identity.clientID),
      scope: scope(settings, changes),
      opensBrowser: changes.opensBrowser,
      redirectPort: settings.redirectPort,
      callbackTimeout: changes.callbackTimeout
    )
    request.key = KeyRequest(place: changes.keyPlace, account: account)
    return request
  }

  private func server(
    _ account: Account,
    _ settings: SignInSettings,
    _ changes: Changes
  ) throws(EngineError) -> ServerSignIn.Request {
    let provider = try provider(of: account)
    let resource = account.issuerSource == .resource ? account.resources.first : nil
    var request = SignIn.Request(
      issuer: provider == nil && resource == nil ? account.identity.issuer : nil,
      clientID: changes.clientID ?? (account.client.isRegistered ? "" : account.identity.clientID ?? ""),
      scope: scope(settings, changes),
      resources: account.resources,
      opensBrowser: changes.opensBrowser,
      redirectPort: settings.redirectPort,
      redirect: settings.redirect,
      callbackTimeout: changes.callbackTimeout,
      settings: account.client,
      authorizationParameters: changes.authorizationParameters
    )
    let named = Set(changes.authorizationParameters.map(\.name))
    request.authorizationParameters += settings.parameters.filter { !named.contains($0.name) }
    // The provider's description has the others, and may have changed.
    if provider != nil { request.settings.endpoints = settings.endpoints }
    request.settings.isRegistered = false
    request.registersAnew = changes.registersAnew
    request.sendsIDToken = settings.sendsIDToken
    setClient(of: account, changes, in: &request)
    if changes.wantsBearer { request.settings.usesDPoP = false }
    // The place of a key that is given up does not matter.
    if request.settings.usesDPoP { request.key = KeyRequest(place: changes.keyPlace, account: account) }
    return ServerSignIn.Request(
      request,
      provider: provider,
      resource: resource,
      usesDevice: changes.usesDevice || settings.usesDevice && !changes.usesBrowser,
      usesBrowser: changes.usesBrowser,
      isDirect: account.client.grant.renewsItself,
      accountName: nil
    )
  }

  private func provider(of account: Account) throws(EngineError) -> ResolvedProvider? {
    guard let name = account.client.provider.flatMap({ ProviderName($0) }) else { return nil }
    return try Providers(context.world).resolve(name)
  }

  /// Sets how the client authenticates itself; its own secret or key is added by ``KnownClient``, for the same server alone.
  private func setClient(of account: Account, _ changes: Changes, in request: inout SignIn.Request) {
    let isOther = changes.clientID.map { $0 != account.identity.clientID } ?? false
    let isKey = request.settings.authentication == .privateKey
    request.settings.certificate?.isBound = false
    if isOther { request.settings.certificate = nil }
    if let certificate = changes.certificate {
      request.certificate = certificate
      request.settings.certificate = certificate.note(changes.certificateFiles)
    }
    if changes.clientSecret != nil || changes.clientKey != nil {
      request.clientSecret = changes.clientSecret
      request.clientKey = changes.clientKey
      request.settings.inputs.clientAssertion = nil
      if request.settings.authentication == .assertionFile { request.settings.authentication = nil }
      // The method stays if it is one for what was given.
      let isPublic = request.settings.authentication == ClientAuthentication.none
      let isTLS = request.settings.authentication == .tls
      if isOther || isPublic || isTLS || isKey != (changes.clientKey != nil) { request.settings.authentication = nil }
    } else if isOther {
      // Another client has another secret, or none.
      request.settings.authentication = nil
    }
  }
}

extension Account {
  /// `true` for a client without a document of its own: its identifier has its scope in it, and is made anew.
  fileprivate var hasLoopbackClient: Bool { identity.clientID?.hasPrefix(ATProtoClient.loopbackPrefix) ?? true }
}

extension Login {
  /// Signs in to an account; nothing is stored yet.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - way: Its way to sign in.
  ///   - person: Who signs in.
  /// - Returns: Credentials of the account's person.
  /// - Throws: ``SignInError/otherPerson(_:)``, ``SignInError/personUnknown(account:)``; ``EngineError``.
  package func signIn(
    to account: Account,
    by way: SignInWay,
    as person: SignInPerson
  ) async throws(EngineError) -> NewCredentials {
    try await AddAccount(context).prepare(for: account)
    var person = person
    person.hasKeyring = true
    var credentials: NewCredentials
    do throws(EngineError) {
      credentials = try await way.signIn(context, as: person)
    } catch .atproto(.subjectMismatch(_, let found?)) {
      throw .signIn(.otherPerson(OtherPerson(account, found, at: nil)))
    } catch {
      throw error.refusing(account)
    }
    // A parameter is for this time, and so is another device or the browser.
    credentials.signIn?.parameters = account.signIn?.parameters ?? []
    credentials.signIn?.usesDevice = account.signIn?.usesDevice ?? false
    switch account.match(credentials) {
    case .same: break
    // A server that named the person before does so again, or cannot be believed to mean them.
    case .unnamed where account.isIdentified: throw .signIn(.personUnknown(account: account.name))
    case .unnamed, .unclear: credentials.notices.append(.personUnknown(account: account.name))
    case .other:
      let name = credentials.personName
      // Elsewhere the end of one session of a user and a client may end them all, such as one that is stored here.
      if credentials.did != nil {
        await UnwantedSession(context).revoke(credentials, of: name, report: person.show)
      }
      let theirs = credentials.account(account.id, account.name, createdAt: context.world.clock.now())
      let origin = credentials.identity.issuer?.url.origin ?? credentials.service
      throw .signIn(.otherPerson(OtherPerson(account: account.name, found: name, origin: origin, theirs: theirs)))
    }
    if !credentials.isNamed { credentials.identity.subject = account.identity.subject }
    return credentials
  }
}

extension OtherPerson {
  /// A person whom a server names, and has issued nothing for.
  ///
  /// - Parameters:
  ///   - account: The account that was to be signed in to.
  ///   - found: The person's names, with commas between them.
  ///   - origin: The server.
  package init(_ account: Account, _ found: String, at origin: Origin?) {
    let name = String(found.prefix { $0 != "," })
    var theirs = account
    theirs.handle = try? Handle(name)
    theirs.did = theirs.handle == nil ? try? DID(name) : nil
    self.init(account: account.name, found: found, origin: origin, theirs: theirs)
  }
}

extension EngineError {
  /// Returns the error with the account, if the server rejected its client, its scope or its resource.
  ///
  /// A client that acct registers was registered anew by then, and rejected again: only the user can name another one.
  fileprivate func refusing(_ account: Account) -> EngineError {
    switch self {
    case .signIn(.requestRefused(var refusal)):
      refusal.asked.account = account
      refusal.asked.isRegistered = false
      return .signIn(.requestRefused(refusal))
    case .signIn(.refused(let code, let description)):
      guard var refusal = RequestRefusal(code, description, of: account) else { return self }
      refusal.asked.scope = account.signIn?.scope ?? refusal.asked.scope
      refusal.asked.isRegistered = false
      return .signIn(.requestRefused(refusal))
    default: return self
    }
  }
}

extension Issuer {
  /// `true` if both are one but for a slash at the end, which people leave out.
  fileprivate func isSame(as other: Issuer) -> Bool {
    self == other || "\(self)/" == "\(other)" || "\(self)" == "\(other)/"
  }
}

/// Whose new credentials are.
private enum PersonMatch {
  case same, other
  /// Nothing says who has signed in.
  case unnamed
  /// The names are not comparable: each client, or each sign-in, has its own.
  case unclear
}

extension Account {
  /// `true` if a server has said who its person is; the subject is otherwise made of a name or an address, or a handle in a
  /// file (``AddAccount/identify(_:named:)``).
  fileprivate var isIdentified: Bool {
    if did != nil || subjectStatements != SubjectStatements() { return true }
    guard let subject = identity.subject else { return false }
    let place = identity.issuer?.url.origin.authority ?? service?.authority
    return subject != handle?.description && subject != place && subject != name.description
      && !subject.hasPrefix("\(name)-")
  }

  /// Compares new credentials with this account's person.
  fileprivate func match(_ credentials: NewCredentials) -> PersonMatch {
    // The client is its own subject, whatever its identifier is from now on.
    if client.grant.renewsItself { return .same }
    if let did, let other = credentials.did { return did == other ? .same : .other }
    guard credentials.isNamed, let other = credentials.identity.subject else { return .unnamed }
    guard isIdentified, let subject = identity.subject else { return .unclear }
    if let issuer = identity.issuer, let another = credentials.identity.issuer, !issuer.isSame(as: another) {
      return .other
    }
    if subject == other { return .same }
    // An access token and an ID token may name one user differently.
    if let stated = subjectStatements.idToken, stated == credentials.subjectStatements.idToken { return .same }
    // A server may name one user differently to each client (OpenID Connect Core 1.0, section 8.1).
    guard identity.clientID != credentials.identity.clientID else { return .other }
    guard let name = displayName, let another = credentials.userName else { return .unclear }
    return name == another ? .same : .other
  }
}

extension NewCredentials {
  /// `true` if their server has named the person; a subject is otherwise made of its address.
  fileprivate var isNamed: Bool {
    guard did == nil else { return true }
    guard let subject = identity.subject else { return false }
    return subject != (identity.issuer?.url.origin.authority ?? service?.authority)
  }

  /// The name of the person, as people know it.
  fileprivate var personName: String {
    handle?.description ?? userName ?? did?.description ?? identity.subject ?? suggestedName
  }
}
