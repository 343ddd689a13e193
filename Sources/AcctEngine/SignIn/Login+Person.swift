package import AcctModel
import AcctPorts
import AcctProtocol

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
    } catch .backend(.otherPerson(_, let found?, let origin)) {
      throw .signIn(.otherPerson(OtherPerson(account, found, at: origin)))
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
  fileprivate init(_ account: Account, _ found: String, at origin: Origin?) {
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
