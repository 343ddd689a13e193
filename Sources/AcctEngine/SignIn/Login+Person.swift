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
  /// - Throws: ``SignInError/otherPerson(_:)`` after the session of another person was ended; ``EngineError``.
  package func signIn(
    to account: Account,
    by way: SignInWay,
    as person: SignInPerson
  ) async throws(EngineError) -> NewCredentials {
    var credentials: NewCredentials
    do throws(EngineError) {
      credentials = try await way.signIn(context, as: person)
    } catch .atproto(.subjectMismatch(_, let found?)) {
      throw .signIn(.otherPerson(OtherPerson(account: account.name, found: found, origin: nil, theirs: nil)))
    } catch .backend(.otherPerson(_, let found?, let origin)) {
      throw .signIn(.otherPerson(OtherPerson(account: account.name, found: found, origin: origin, theirs: nil)))
    }
    switch account.isPerson(of: credentials) {
    case true?: break
    case nil: credentials.notices.append(.personUnknown(account: account.name))
    case false?:
      let name = credentials.personName
      await UnwantedSession(context).revoke(credentials, of: name, report: person.show)
      let theirs = credentials.account(account.id, account.name, createdAt: context.world.clock.now())
      let origin = credentials.identity.issuer?.url.origin ?? credentials.service
      throw .signIn(.otherPerson(OtherPerson(account: account.name, found: name, origin: origin, theirs: theirs)))
    }
    return credentials
  }
}

extension Account {
  /// `true` if new credentials are those of this account's person, `false` if of another; `nil` if that is not known.
  fileprivate func isPerson(of credentials: NewCredentials) -> Bool? {
    // The client is its own subject, whatever its identifier is from now on.
    if client.grant.renewsItself { return true }
    if let did, let other = credentials.did { return did == other }
    // A file may know its person by their handle alone.
    guard let subject = identity.subject, subject != handle?.description,
      let other = credentials.identity.subject
    else { return nil }
    if let issuer = identity.issuer, let another = credentials.identity.issuer, issuer != another { return false }
    if subject == other { return true }
    // An access token and an ID token may name one user differently.
    guard let stated = subjectStatements.idToken, let again = credentials.subjectStatements.idToken else {
      return false
    }
    return stated == again
  }
}

extension NewCredentials {
  /// The name of the person, as people know it.
  fileprivate var personName: String {
    handle?.description ?? userName ?? did?.description ?? identity.subject ?? suggestedName
  }
}
