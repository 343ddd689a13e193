package import AcctModel
import AcctPorts
import AcctProtocol
package import Release

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
      try? await GuestTokenEnd(context).past(credentials.account)
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
    case .session(.notStored(_, let kind)): kind.isShared
    case .keyring(.failed(.answerWaits, _)): true
    case .selection, .signIn, .session, .authorization, .input, .inputToken, .keyring, .key, .network, .server,
      .atproto, .provider, .backend, .guest, .transfer, .told, .sharing, .files, .cancelled:
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
