import AcctModel
import AcctPorts
import AcctProtocol

/// Keeps a backend's sealed session going: validates it, then extends it, and only then says that
/// it is over.
///
/// As in ``Renewal``, one process at a time does that for an account, whoever waited takes its
/// result, and what the backend gives is stored before anything else happens. Between two tries
/// the lock is free and Ctrl-C works: many processes that wait for one backend wait together, and
/// the first that reaches it answers for all.
struct SessionRenewal: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  init(_ context: EngineContext) {
    self.context = context
    accountStore = AccountStore(context.world.files)
  }

  /// Makes sure that a session goes on.
  ///
  /// - Parameters:
  ///   - account: Whose session.
  ///   - refused: The session that is in doubt: where another one is kept by now, nothing is asked.
  ///   - isDue: Decides, for the account as it is now, whether the backend must be asked at all.
  ///   - isStale: Decides, for what the backend then said, whether the session must be extended.
  /// - Throws: ``EngineError``; the session is kept in every case.
  func renew(
    _ account: Account,
    insteadOf refused: Token? = nil,
    ifDue isDue: (Account) -> Bool,
    extendedIf isStale: @escaping @Sendable (Account) -> Bool
  ) async throws(EngineError) {
    var backOff = BackOff()
    var tries = SessionRenewalAttempt.Tries(since: account.validatedAt)
    while true {
      switch try await renewOnce(account, refused, isDue, isStale, &tries) {
      case .done: return
      case .again(let cause):
        guard let pause = backOff.next(context.world.entropy) else { throw cause }
        try await context.world.clock.pause(pause, because: cause, context.report)
      case .doubtful:
        guard await context.world.clock.sleep(Self.moment) else { throw .cancelled }
      }
    }
  }

  /// How long others may take to store what the backend has just given them, in seconds.
  private static let moment: Int64 = 1

  /// Asks whether the session goes on, due or not; it is extended only if it is due.
  ///
  /// - Parameters:
  ///   - account: Whose session.
  ///   - refused: The session that a request was refused with, if one was.
  /// - Throws: ``EngineError``; the session is kept in every case.
  func check(
    _ account: Account,
    insteadOf refused: Token? = nil
  ) async throws(EngineError) {
    try await renew(account, insteadOf: refused) { _ in
      true
    } extendedIf: { current in
      current.tokenLifetime.state(at: context.world.clock.now()) != .valid
    }
  }

  private func renewOnce(
    _ account: Account,
    _ refused: Token?,
    _ isDue: (Account) -> Bool,
    _ isStale: @escaping @Sendable (Account) -> Bool,
    _ tries: inout SessionRenewalAttempt.Tries
  ) async throws(EngineError) -> SessionRenewalAttempt.End {
    try await accountStore.exclusively(account.id) {
      () throws(EngineError) -> SessionRenewalAttempt.End in
      guard let found = try accountStore.account(account.id) else {
        throw .unknownAccount(
          reference: account.name.description,
          selectedBy: .option,
          candidates: []
        )
      }
      guard found.recordedState.state != .reauthRequired else {
        throw found.stateError(found.lastKnownState(at: context.world.clock.now()))
      }
      // Whoever has asked since for another process has asked for this one, too.
      guard isDue(found), found.validatedAt == tries.seen else { return .done }
      let current = try await ReplaceCredentials(context).settled(found)
      let credentialStore = try CredentialStore(of: current, in: context)
      guard let session = try await credentialStore.read().token, let origin = current.service
      else {
        throw current.stateError(current.assess(.missing, at: context.world.clock.now()))
      }
      // What was refused is not what is kept: whoever has stored it has had the backend's word.
      guard refused == nil || refused == session else { return .done }
      // A new session that can't be stored may be a lost one: see before anything is sent.
      try await credentialStore.prepare()
      let held = context.world.signals.holdBack()
      defer { held.release() }
      let before = tries
      let (end, after) = try await uncancelled { () throws(EngineError) in
        var attempt = SessionRenewalAttempt(
          current,
          session,
          at: SessionBackend(origin, context),
          credentialStore,
          context
        )
        var tries = before
        return (try await attempt.run(&tries, isStale), tries)
      }
      tries = after
      return end
    }
  }
}
