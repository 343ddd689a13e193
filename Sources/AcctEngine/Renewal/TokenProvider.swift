package import AcctModel
import AcctPorts
package import AcctProtocol

/// A token that can be used now, with the key that it is bound to.
package struct AccessGrant: Sendable {
  package var token: Token
  package var key: DPoPKey?
  package var expiresAt: Timestamp?
  package var notices: [Notice]
}

/// Gets the token of an account, renewed first where that is due.
package struct TokenProvider: Sendable {
  private let context: EngineContext
  private let network: Network

  /// Whether a renewal may be tried.
  package enum Network: Sendable {
    case allowed, forbidden
  }

  package init(
    _ context: EngineContext,
    _ network: Network
  ) {
    self.context = context
    self.network = network
  }

  /// Returns a token that can be used now.
  ///
  /// - Parameters:
  ///   - account: Whose token.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token, and the key that it is bound to.
  /// - Throws: ``EngineError/signInRequired(account:_:)``, why the keyring gave no answer, or why
  ///   a token that is past could not be renewed.
  package func grant(
    to account: Account,
    leaving minimum: Int64? = nil
  ) async throws(EngineError) -> AccessGrant {
    let held = try await storedCredentials(account)
    let now = context.world.clock.now()
    let assessment = held.account.assess(held.evidence, at: now, leaving: minimum)
    switch assessment.action {
    case .use: return try held.grant(at: now)
    case .renew:
      do throws(EngineError) { try await renew(account, leaving: minimum) } catch {
        if case .signInRequired = error { throw error }
        return try unrenewed(held, assessment, error)
      }
      // What has just been obtained is used as it is, however short its life.
      let current = try AccountStore(context.world.files).account(account.id) ?? account
      return try await storedCredentials(current).grant(at: now)
    case .discard: throw await ending(held, assessment, at: now)
    default: throw held.account.stateError(assessment)
    }
  }

  /// Discards a guest's token that is past, and returns what to tell of it.
  private func ending(
    _ held: Held,
    _ assessment: Assessment,
    at now: Timestamp
  ) async -> EngineError {
    var assessment = assessment
    if held.account.assess(held.evidence, at: now).action == .discard {
      // What can't be removed now is removed the next time; that it is past is the news.
      try? await GuestTokenEnd(context).past(held.account)
    } else {
      // More was asked for than is usual: it is still good for everybody else.
      assessment.reason = "it has less time left than requested"
    }
    return held.account.stateError(assessment)
  }

  private func renew(_ account: Account, leaving minimum: Int64?) async throws(EngineError) {
    guard network == .allowed else { throw .offline }
    let isDue = { @Sendable (current: Account) in
      current.tokenLifetime.state(at: context.world.clock.now(), leaving: minimum) != .valid
    }
    guard account.kind == .session else {
      return try await Renewal(context).renew(
        account,
        ifDue: isDue
      )
    }
    let sessionRenewal = SessionRenewal(context)
    try await sessionRenewal.renew(account, ifDue: isDue, extendedIf: isDue)
  }

  /// What the keyring holds now.
  private func storedCredentials(_ account: Account) async throws(EngineError) -> Held {
    // Where the server's word has ended it, the keyring has nothing to add.
    guard account.recordedState.state != .reauthRequired else {
      throw account.stateError(account.lastKnownState(at: context.world.clock.now()))
    }
    var (account, contents) = try await CredentialStore.readWhole(of: account, in: context)
    if let expiresAt = contents.expiresAt { account.tokenLifetime.expiresAt = expiresAt }
    return Held(account: account, contents: contents)
  }

  /// A token that is due and could not be renewed: good for as long as it is not past.
  private func unrenewed(
    _ held: Held,
    _ assessment: Assessment,
    _ cause: EngineError
  ) throws(EngineError) -> AccessGrant {
    let now = context.world.clock.now()
    guard assessment.state.after(.noAnswer).action == .useWhileUnpast,
      let left = held.account.tokenLifetime.secondsLeft(at: now), left > 0
    else {
      throw cause == .offline
        ? .signInRequired(account: held.account.name, .unrenewed) : cause
    }
    var grant = try held.grant(at: now)
    grant.notices.append(
      .usedUnrenewed(account: held.account.name, secondsLeft: left, because: cause)
    )
    return grant
  }
}

/// An account with what the keyring holds of it.
private struct Held {
  var account: Account
  var contents: CredentialStore.Contents

  var evidence: Evidence { contents.isUsable(for: account) ? .present : .missing }

  func grant(at now: Timestamp) throws(EngineError) -> AccessGrant {
    guard let token = contents.token, evidence == .present else {
      throw account.stateError(account.assess(.missing, at: now))
    }
    return AccessGrant(
      token: token,
      key: account.tokenType == .dpop ? contents.key : nil,
      expiresAt: account.tokenLifetime.expiresAt,
      notices: account.sessionWarning(at: now).map { [$0] } ?? []
    )
  }
}

extension Account {
  /// In the last two days of a session that renewing does not extend: sign in again, and by when.
  package func sessionWarning(at now: Timestamp) -> Notice? {
    guard let left = sessionEndsAt?.seconds(since: now), (1...2 * 86_400).contains(left) else {
      return nil
    }
    return .sessionEnds(account: name, inSeconds: left)
  }
}
