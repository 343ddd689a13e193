package import AcctModel
import AcctPorts
import AcctProtocol
package import Release
import Secrets

/// Provides the token of an account, renewed first if that is due.
package struct TokenProvider: Sendable {
  let context: EngineContext
  let network: Network

  /// The permission to attempt a renewal.
  package enum Network: Sendable { case allowed, forbidden }

  package init(_ context: EngineContext, _ network: Network) {
    self.context = context
    self.network = network
  }

  /// Returns the token that a permit is for.
  ///
  /// - Throws: As ``grant(to:leaving:)``, ``idToken(of:leaving:)`` and ``grant(to:for:leaving:)``.
  package func grant(
    to account: Account,
    under permit: Permit,
    leaving minimum: Int64? = nil
  ) async throws(EngineError) -> AccessGrant {
    if permit.isForIDToken { return try await idToken(of: account, leaving: minimum) }
    if let purpose = permit.purpose { return try await grant(to: account, for: purpose, leaving: minimum) }
    return try await grant(to: account, leaving: minimum)
  }

  /// Returns a token that can be used now.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token, and the key that it is bound to.
  /// - Throws: ``SignInError/required(account:_:)``, the keyring's failure, or the reason why an expired token could
  ///   not be renewed.
  package func grant(to account: Account, leaving minimum: Int64? = nil) async throws(EngineError) -> AccessGrant {
    if account.recordedState.tokenStands { return try await outlasting(account, leaving: minimum ?? 0) }
    try account.requireNotEnded(at: context.world.clock.now())
    let credentials = try await CredentialStore.readWhole(of: account, in: context)
    let now = context.world.clock.now()
    let assessment = credentials.assess(at: now, leaving: minimum)
    switch assessment.action {
    case .use:
      context.tell(.use(account.name, nil, secondsLeft: credentials.account.tokenLifetime.secondsLeft(at: now)))
      return try credentials.grant(at: now)
    case .renew:
      do throws(EngineError) {
        guard network == .allowed else { throw .network(.offline) }
        return try await Renewal(context).renew(account, because: .due(leaving: minimum))
          .grant(at: context.world.clock.now())
      } catch {
        let now = context.world.clock.now()
        let lifetime = credentials.account.tokenLifetime
        let serves = !error.forbidsTheOldToken && assessment.state.after(.noAnswer).action == .useWhileUnpast
        let grant = serves ? try credentials.grant(at: now) : nil
        return try unrenewed(grant, of: credentials.account.name, until: lifetime, because: error)
      }
    case .discard: throw await ending(credentials, assessment, at: now)
    case .useWhileUnpast, .stop, .keep, .record, .forget: throw credentials.account.stateError(assessment)
    }
  }

  /// Returns a token that is still valid although its session has ended; it is not renewed.
  private func outlasting(_ account: Account, leaving minimum: Int64) async throws(EngineError) -> AccessGrant {
    let now = context.world.clock.now()
    guard account.tokenLifetime.secondsLeft(at: now).map({ $0 > minimum }) ?? true else {
      throw account.stateError(account.lastKnownState(at: now))
    }
    var grant = try await CredentialStore.readWhole(of: account, in: context).grant(at: now)
    grant.notices.append(.usedToItsEnd(account: account.name, reason: account.recordedState.reason ?? ""))
    return grant
  }

  /// Discards a guest's expired token, and returns the error to report.
  private func ending(_ credentials: Credentials, _ assessment: Assessment, at now: Timestamp) async -> EngineError {
    var assessment = assessment
    if credentials.assess(at: now).action == .discard {
      // If it can't be removed now, the next command removes it; the error reports that it has expired.
      try? await context.backends?.discard(credentials.account, context)
    } else {
      // The request was for more time than usual: other requests can still use the token.
      assessment.reason = StateReason.shorterThanRequested.text
    }
    return credentials.account.stateError(assessment)
  }

  /// A token that could not be renewed, which serves until it expires.
  ///
  /// - Parameters:
  ///   - known: The stored token; `nil` if there is none that could serve.
  ///   - name: The account's.
  ///   - lifetime: Until when it serves.
  ///   - cause: Why there is no other.
  /// - Returns: The token, with a notice.
  /// - Throws: The cause, where the token may not take the place of the one that could not be had.
  func unrenewed(
    _ known: AccessGrant?,
    of name: AccountName,
    until lifetime: TokenLifetime?,
    because cause: EngineError
  ) throws(EngineError) -> AccessGrant {
    if cause.forbidsTheOldToken { throw cause }
    let now = context.world.clock.now()
    guard var grant = known,
      // Where a clock that was ahead has stored the end, the token's own decides, if it tells one.
      let left = lifetime?.certainSecondsLeft(at: now) ?? grant.token.ownEnd?.seconds(since: now)
        ?? lifetime?.secondsLeft(at: now),
      left > 0
    else {
      throw cause == .network(.offline) ? .signIn(.required(account: name, .unrenewed)) : cause
    }
    grant.notices.append(.usedUnrenewed(account: name, secondsLeft: left, because: cause))
    return grant
  }
}

extension EngineError {
  /// `true` if a token that is still valid must not be used in place of the new one.
  var forbidsTheOldToken: Bool {
    switch self {
    // The session has ended.
    case .signIn(.required): true
    // Another machine has removed the account.
    case .selection(.unknown): true
    // This machine has the next token, and no other can see that yet.
    case .keyring(.notStored(_, let kind)): kind.isShared
    case .keyring(.failed(.answerWaits, _)): true
    case .selection, .signIn, .authorization, .input, .inputToken, .keyring, .key, .network, .server,
      .atproto, .provider, .transfer, .told, .files, .cancelled:
      false
    }
  }
}

extension Token {
  /// When it ends by its own words, by the server's clock.
  fileprivate var ownEnd: Timestamp? {
    if case .claims(let claims) = JWT.claims(ofToken: self) { claims.expiry } else { nil }
  }
}

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
      let own = AccountToken(grant.token, of: account.id, isIDToken: true)
      return AccessGrant(own: own, expiresAt: grant.expiresAt, notices: grant.notices)
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
    let own = AccountToken(token.token, of: account.id, isIDToken: true)
    self.init(own: own, key: nil, expiresAt: token.lifetime.expiresAt, notices: [])
  }
}

extension Account {
  /// `true` if a renewal less than so many seconds ago, and well after an ID token was issued, brought no other.
  fileprivate func hasRenewed(since token: IDToken?, within seconds: Int64, at now: Timestamp) -> Bool {
    guard let validatedAt, let issuedAt = token?.issuedAt else { return false }
    return (0..<seconds).contains(now.seconds(since: validatedAt)) && validatedAt.seconds(since: issuedAt) > seconds
  }
}

/// Obtains the tokens that a grant starts from, before anything is sent to its server.
struct GrantToken: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The most accounts in a row whose tokens start from each other's.
  private static let longestChain = 8

  /// Reads the tokens anew: the client's, and the grant's.
  ///
  /// - Parameters:
  ///   - settings: The settings of the grant's client.
  ///   - issuer: The issuer of the server that gets the tokens, if it is known by one.
  ///   - account: The account that is being renewed; `nil` at a sign-in.
  /// - Returns: The tokens; none for a request that starts from none.
  /// - Throws: ``EngineError/inputToken(_:)``; ``AuthorizationError/originRefused(_:account:allowed:)`` for another
  ///   account's token that may not be sent to the server.
  func read(
    _ settings: ClientSettings,
    of issuer: Issuer?,
    for account: AccountID? = nil
  ) async throws(EngineError) -> ReadTokens {
    guard settings.hasInputs else { return ReadTokens() }
    var tokens = try InputTokens(context).client(settings)
    tokens.grant = try await grantToken(settings, of: issuer, for: account)
    return tokens
  }

  private func grantToken(
    _ settings: ClientSettings,
    of issuer: Issuer?,
    for account: AccountID?
  ) async throws(EngineError) -> Secret? {
    let inputs = settings.inputs
    let isJWT = settings.grant == .jwtBearer || inputs.subjectType?.isJWT ?? true
    switch inputs.grantToken {
    case nil: return nil
    case .file(let path): return try InputTokens(context).read(path, asJWT: isJWT)
    case .program(let line): return try await InputTokens(context).run(line, asJWT: isJWT)
    case .account(let id):
      let owner = try owner(id, besides: account)
      // An exchange that brought an ID token has it in the place of its own.
      let isIDToken = inputs.subjectType == .idToken && owner.tokenType != .none
      let permit: Permit
      do {
        permit = try owner.permit(
          lendingTo: settings.endpoints[.token]?.origin ?? issuer?.url.origin,
          idToken: isIDToken
        )
      } catch {
        throw .authorization(error)
      }
      do throws(EngineError) {
        let grant = try await TokenProvider(context, .allowed).grant(to: owner, under: permit)
        return try permit.release(grant).openedToken
      } catch .cancelled {
        throw .cancelled
      } catch {
        throw .inputToken(.account(owner.name, error))
      }
    }
  }

  /// The account that has the token.
  private func owner(_ id: AccountID, besides renewed: AccountID?) throws(EngineError) -> Account {
    guard let owner = try context.accountStore.account(id) else { throw .inputToken(.accountGone(id)) }
    var next: Account? = owner
    for _ in 0..<Self.longestChain {
      guard let account = next else { return owner }
      guard account.id != renewed else { throw .inputToken(.circular(owner.name)) }
      guard case .account(let id)? = account.client.inputs.grantToken else { return owner }
      next = try context.accountStore.account(id)
    }
    throw .inputToken(.circular(owner.name))
  }
}
