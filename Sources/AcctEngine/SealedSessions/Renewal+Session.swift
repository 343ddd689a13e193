import AcctModel
import AcctPorts
import AcctProtocol

/// Renewal of a backend's sealed session: validated, then extended, and only then ended.
///
/// Between two attempts the lock is free and Ctrl-C works: many processes that wait for one backend wait together, and
/// the first that reaches it obtains the answer for all.
extension Renewal {
  /// The time that other processes get to store a session that the backend has just issued, in seconds.
  private static let moment: Int64 = 1

  func renewSession(of account: Account, because reason: Reason) async throws(EngineError) -> Outcome {
    var backOff = BackOff()
    var tries = SessionRenewalAttempt.Tries(since: account.validatedAt)
    while true {
      switch try await attempt(account, reason, &tries) {
      case (.done, let outcome): return outcome
      case (.again(let cause), _):
        guard let pause = backOff.next(context.world.entropy) else { throw cause }
        try await context.world.clock.pause(pause, because: cause, context.report)
      case (.doubtful, _): guard await context.world.clock.sleep(Self.moment) else { throw .cancelled }
      }
    }
  }

  /// Asks the backend once, if the reason still applies.
  private func attempt(
    _ account: Account,
    _ reason: Reason,
    _ tries: inout SessionRenewalAttempt.Tries
  ) async throws(EngineError) -> (SessionRenewalAttempt.End, Outcome) {
    var known = account
    known.validatedAt = tries.seen
    return try await renewing(account) {
      (current, credentialStore) throws(EngineError) -> (SessionRenewalAttempt.End, Outcome) in
      let now = context.world.clock.now()
      try current.requireNotEnded(at: now)
      let credentials = try await credentialStore.readForRenewal()
      guard let session = credentials.token, let origin = current.service else {
        throw current.stateError(current.assess(.missing, at: now))
      }
      guard reason.applies(to: credentials, since: known, at: now) else {
        context.tell(.renewedElsewhere(current.name, nil))
        return (.done, Outcome(credentials: credentials, wasDue: false))
      }
      context.tell(.renew(current.name, nil, reason.cause(session, current.tokenLifetime, at: now)))
      // A new session that can't be stored may be a lost one: see before anything is sent.
      try await credentialStore.prepare()
      let mayBeSent = try await credentialStore.claim(current.inFlight(since: now))
      let held = context.world.signals.holdBack()
      defer { held.release() }
      let before = tries
      let (end, renewed, after) = try await uncancelled { () throws(EngineError) in
        let attempt = SessionRenewalAttempt(
          current,
          session,
          because: reason,
          at: SessionBackend(origin, context),
          credentialStore,
          mayBeSent,
          context
        )
        var tries = before
        let end = try await attempt.run(&tries)
        return (end, attempt.credentials, tries)
      }
      tries = after
      return (end, Outcome(credentials: renewed, wasDue: true))
    }
  }
}
