import AcctModel

extension AddAccount {
  /// Sets a subject for the credentials of a sign-in whose server did not name the user, by which the next sign-in
  /// finds the account.
  ///
  /// A name is the user's own statement: the name of an account of the same server, client and resources means that
  /// account, and any other name a new one. Without a name, a server that does not distinguish its users has one
  /// account. One that merely failed to name the user this time may have several, so that its credentials get no
  /// subject, and become a separate account.
  ///
  /// - Parameters:
  ///   - credentials: Get the subject, unless they have one.
  ///   - name: The account's name, if the user chose one.
  /// - Throws: ``EngineError`` if the accounts can't be read.
  package func identify(_ credentials: inout NewCredentials, named name: String?) throws(EngineError) {
    guard credentials.identity.subject == nil else { return }
    guard let name else {
      guard !credentials.isFromFailedIdentification else { return }
      credentials.identity.subject = credentials.identity.issuer?.url.origin.authority ?? credentials.service?.authority
      return
    }
    let belonging = credentials.belonging()
    let accounts = try accountStore.listing().accounts.filter { belonging.isAtSamePlace(as: $0.belonging) }
    if let named = accounts.first(where: { $0.name.description == name }) {
      credentials.identity.subject = named.identity.subject
      return
    }
    // An account that was renamed keeps the subject that its first name gave it.
    let taken = Set(accounts.compactMap(\.identity.subject))
    let candidates = [name] + (2...).lazy.prefix(taken.count + 1).map { "\(name)-\($0)" }
    credentials.identity.subject = candidates.first { !taken.contains($0) }
  }
}

extension NewCredentials {
  /// The facts by which their account is found.
  ///
  /// - Parameter name: The name that the user gave.
  /// - Returns: The facts, with a static token's name.
  func belonging(named name: AccountName? = nil) -> Belonging {
    Belonging(
      kind: kind,
      source: source,
      identity: identity,
      name: kind == .static ? name ?? (try? AccountName(suggestedName)) : nil,
      tokenOrigin: client.endpoints[.token]?.origin,
      resources: resources,
      audiences: client.inputs.audiences,
      isRegistered: client.isRegistered
    )
  }

  /// `true` if the server was asked for the user, and failed.
  fileprivate var isFromFailedIdentification: Bool {
    notices.contains { if case .identityUnknown = $0 { true } else { false } }
  }
}
