package import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// Replaces the credentials of an account that others may have seen, and ends the former ones at its server.
///
/// The new tokens are stored as after any renewal, before a former one is revoked. A refresh token that the server has
/// exchanged for another is spent (RFC 9700, section 4.14.2), and is not shown to the server again: many end all tokens of a
/// grant with it (RFC 7009, section 2.1), and so the new ones. Where an introspection reports that it is still active, it is
/// revoked all the same. What a revocation has done to the new session is found out by one more renewal.
package struct Rotation: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// A former credential that the server may still accept, and why.
  package struct Former: Sendable {
    package enum Kind: String, Sendable { case accessToken, refreshToken, session, token }

    package let kind: Kind
    /// When it ends by itself, if that is known.
    package let endsAt: Timestamp?
    package let cause: Notice.Cause

    package init(_ kind: Kind, endsAt: Timestamp? = nil, _ cause: Notice.Cause) {
      self.kind = kind
      self.endsAt = endsAt
      self.cause = cause
    }
  }

  /// The result for an account.
  package struct Outcome: Sendable {
    package var notices: [Notice] = []
    /// The former credentials that were not ended.
    package var left: [Former] = []
    /// `true` if there is no new session: the former one has ended, and only a person can sign in.
    package var needsSignIn = false

    package init(notices: [Notice] = [], left: [Former] = []) {
      self.notices = notices
      self.left = left
    }
  }

  /// Replaces the credentials of an account with tokens, or ends a session that only a person can begin anew.
  ///
  /// - Parameter account: An account of the kinds `oauth` and `session`.
  /// - Returns: The result.
  /// - Throws: The reason why there are no new credentials; the former ones are kept, and valid.
  package func rotate(_ account: Account) async throws(EngineError) -> Outcome {
    let account = try await context.latest(account)
    let (former, second) = try await context.withExclusiveAccess(to: account) {
      (_, store) throws(EngineError) -> (Credentials, SecondTokens) in
      (try await store.readForRenewal(), account.ownGrant == nil ? SecondTokens() : try await store.secondTokens())
    }
    guard account.kind == .oauth, former.canBeRenewed, account.tokenLifetime.canRenew else {
      return try await end(former)
    }
    let renewed = try await Renewal(context).renew(former.account, because: .forced).credentials
    var outcome = Outcome(notices: renewed.notices)
    if account.did != nil, account.issuerSource == .did {
      // A server of the AT Protocol ends the whole session with any token of it.
      if let left = await lastingToken(of: former) { outcome.left.append(left) }
      return outcome
    }
    var isRevoked = try await drop(second, of: former)
    if let token = former.token, !former.account.isSpent(at: context.world.clock.now()), token != renewed.token {
      let cause = await Revocation(context).end(by: RefreshRequest.revocation(of: token), former)
      isRevoked = isRevoked || cause == nil
      if let cause = await stillAccepted(former, unless: cause) {
        outcome.left.append(Former(.accessToken, endsAt: former.account.tokenLifetime.expiresAt, cause))
      }
    }
    if let token = former.refreshToken, !former.account.client.grant.renewsItself {
      if token.isSame(as: renewed.refreshToken) {
        outcome.left.append(Former(.refreshToken, .notReplaced))
      } else if await TokenCheck(context).isActive(token, of: former) == true {
        let cause = await Revocation(context).end(by: RefreshRequest.revocation(of: token), former)
        isRevoked = isRevoked || cause == nil
        if let cause { outcome.left.append(Former(.refreshToken, cause)) }
      }
    }
    if isRevoked { outcome.needsSignIn = await hasEnded(renewed.account) }
    return outcome
  }

  /// Ends a session that is not renewed: only a person can begin another.
  private func end(_ former: Credentials) async throws(EngineError) -> Outcome {
    let account = former.account
    let now = context.world.clock.now()
    guard account.recordedState.state == .valid, !account.isSpent(at: now) || former.refreshToken != nil else {
      throw account.stateError(account.lastKnownState(at: now))
    }
    var outcome = Outcome()
    switch await Revocation(context).revoke(former) {
    case .notRevoked(_, let cause)?:
      outcome.left = [
        Former(account.kind == .session ? .session : .accessToken, endsAt: account.tokenLifetime.expiresAt, cause)
      ]
    case nil: throw account.notRenewable
    case let notice?:
      outcome.notices = [notice]
      let accountStore = context.accountStore
      try await context.withExclusiveRecord(of: account) { (shared) throws(EngineError) in
        guard var current = try accountStore.account(account.id) else { return }
        current.take(.ended, reason: StateReason.rotated.text, at: now)
        try accountStore.save(current, sharing: shared)
      }
    }
    outcome.needsSignIn = true
    return outcome
  }

  /// Removes the second tokens, which are requested anew, and revokes them.
  ///
  /// - Returns: `true` if the server has ended any.
  private func drop(_ second: SecondTokens, of former: Credentials) async throws(EngineError) -> Bool {
    guard !second.tokens.isEmpty else { return false }
    try await context.withExclusiveAccess(to: former.account) { (_, store) throws(EngineError) in
      try await store.write([Keyring.Item(.secondTokens, SecondTokens().item)])
    }
    var isRevoked = false
    for second in second.tokens {
      let cause = await Revocation(context).end(by: RefreshRequest.revocation(of: second.token), former)
      isRevoked = isRevoked || cause == nil
    }
    return isRevoked
  }

  /// Finds out whether the former access token is still accepted.
  ///
  /// - Parameters:
  ///   - former: The former credentials.
  ///   - cause: Why it was not revoked; `nil` if it was.
  /// - Returns: Why it is accepted, or may be; `nil` if the server rejects it, or has revoked it and does not tell.
  private func stillAccepted(_ former: Credentials, unless cause: Notice.Cause?) async -> Notice.Cause? {
    guard let grant = try? former.grant(at: context.world.clock.now()),
      let verdict = try? await TokenCheck(context).verdict(on: grant, of: former.account)
    else { return cause }
    return switch verdict {
    case .rejected, .inactive: nil
    case .accepted, .otherUser: cause ?? .stillAccepted
    case .unknown: cause
    }
  }

  /// The former access token of a session of the AT Protocol, if its data server does not reject it.
  private func lastingToken(of former: Credentials) async -> Former? {
    let account = former.account
    guard !account.isSpent(at: context.world.clock.now()), let service = account.service,
      let grant = try? former.grant(at: context.world.clock.now())
    else { return nil }
    let end = account.tokenLifetime.expiresAt
    do throws(EngineError) {
      let status = try await ServerCheck(context).session(at: service, of: account, grant).status
      return status == 401 ? nil : Former(.accessToken, endsAt: end, .endsWithSession)
    } catch {
      return Former(.accessToken, endsAt: end, .failed(error))
    }
  }

  /// `true` if the server has ended the new session with a former token.
  func hasEnded(_ account: Account) async -> Bool {
    guard account.kind == .oauth, account.tokenLifetime.canRenew else { return false }
    do throws(EngineError) {
      let known = try await context.latest(try context.accountStore.account(account.id) ?? account)
      _ = try await Renewal(context).renew(known, because: .forced)
      return false
    } catch {
      let now = try? context.accountStore.account(account.id)
      return now?.recordedState.state == .reauthRequired
    }
  }
}

extension Account {
  /// `true` if its token has expired.
  fileprivate func isSpent(at now: Timestamp) -> Bool {
    tokenLifetime.secondsLeft(at: now).map { $0 <= 0 } ?? false
  }
}

extension AddAccount.Added {
  /// `true` if the token of new credentials is the one that the account had before.
  package func had(_ credentials: NewCredentials) -> Bool {
    guard let former = before?.items[account.kind.tokenItem] else { return false }
    return (try? Token(former, sentAs: account.sentAs)) == credentials.token
  }
}
