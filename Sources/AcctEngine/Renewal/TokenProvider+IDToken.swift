package import AcctModel
import AcctPorts
import AcctProtocol
import Release

extension TokenProvider {
  /// Seconds after a renewal that brought no ID token in which none is asked for again.
  private static let pause: Int64 = 60

  /// Returns the ID token of the account, renewed first if too little time is left.
  ///
  /// A server need not issue one at a renewal (OpenID Connect Core 1.0, section 12.2): the stored one is then used until
  /// it expires.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token; no key is bound to it.
  /// - Throws: ``AuthorizationError/noIDToken(_:)`` for an account that got none, or is of another kind,
  ///   ``SignInError/required(account:_:)``, the keyring's failure, or the reason why it could not be renewed.
  package func idToken(of account: Account, leaving minimum: Int64? = nil) async throws(EngineError) -> AccessGrant {
    guard account.kind == .oauth else { throw .authorization(.noIDToken(account.name)) }
    // An exchange that brought an ID token has it in the place of its own.
    if account.tokenType == .none {
      let grant = try await grant(to: account, leaving: minimum)
      guard (try? IDToken(grant.token)) != nil else { throw .authorization(.noIDToken(account.name)) }
      return grant
    }
    guard !account.client.grant.renewsItself || account.mayHaveIDToken else {
      throw .authorization(.noIDToken(account.name))
    }
    guard account.mayHaveIDToken else {
      let scope = (["openid"] + Scope.words(account.scope)).joined(separator: " ")
      throw .signIn(.required(account: account.name, .idTokenNotRequested(scope: scope)))
    }
    let now = context.world.clock.now()
    let stands = account.recordedState.tokenStands
    if !stands { try account.requireNotEnded(at: now) }
    let known = try await CredentialStore.readingWhole(account, in: context) { store throws(EngineError) in
      try await store.idToken()
    }
    if let known, known.state(at: now, leaving: minimum) == .valid { return AccessGrant(known, of: account) }
    guard !stands, account.tokenLifetime.canRenew, !account.hasRenewed(since: known, within: Self.pause, at: now) else {
      return try unrenewed(known, of: account)
    }
    let renewed: IDToken?
    do throws(EngineError) {
      guard network == .allowed else { throw .network(.offline) }
      renewed = try await Renewal(context).renew(account, because: .idToken(leaving: minimum)).credentials.idToken
    } catch {
      return try unrenewed(
        known.map { AccessGrant($0, of: account) },
        of: account.name,
        until: known?.lifetime,
        because: error
      )
    }
    guard let renewed, renewed != known else { return try unrenewed(known, of: account) }
    return AccessGrant(renewed, of: account)
  }

  /// The stored ID token, where no other is to be had.
  private func unrenewed(_ known: IDToken?, of account: Account) throws(EngineError) -> AccessGrant {
    guard let known, let left = known.lifetime.secondsLeft(at: context.world.clock.now()), left > 0 else {
      throw .signIn(.required(account: account.name, .noIDToken))
    }
    var grant = AccessGrant(known, of: account)
    grant.notices.append(.idTokenNotRenewed(account: account.name, secondsLeft: left))
    return grant
  }
}

extension AccessGrant {
  fileprivate init(_ token: IDToken, of account: Account) {
    self.init(owner: account.id, token: token.token, key: nil, expiresAt: token.lifetime.expiresAt, notices: [])
  }
}

extension Account {
  /// `true` if a renewal less than so many seconds ago, and well after an ID token was issued, brought no other.
  fileprivate func hasRenewed(since token: IDToken?, within seconds: Int64, at now: Timestamp) -> Bool {
    guard let validatedAt, let issuedAt = token?.issuedAt else { return false }
    return (0..<seconds).contains(now.seconds(since: validatedAt)) && validatedAt.seconds(since: issuedAt) > seconds
  }
}
