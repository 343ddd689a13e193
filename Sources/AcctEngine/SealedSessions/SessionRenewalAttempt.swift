import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// One attempt to renew a session, from the note that it is in flight to the last write; its caller holds the
/// account's lock, and holds back signals.
final class SessionRenewalAttempt {
  var account: Account
  var session: Token
  let reason: Renewal.Reason
  let wasInterrupted: Bool
  /// The earlier one was answered, with nothing that could be stored.
  let wasAnswered: Bool
  let backend: SessionBackend
  let credentialStore: CredentialStore
  /// Checked before each request, if other machines share the keyring.
  ///
  /// A write ends the right to send, so it is claimed again for the next request.
  var mayBeSent: (@Sendable () -> Bool)?
  /// `true` if that right has to be claimed again.
  var needsClaim = false
  let context: EngineContext

  init(
    _ account: Account,
    _ session: Token,
    because reason: Renewal.Reason,
    at backend: SessionBackend,
    _ credentialStore: CredentialStore,
    _ mayBeSent: (@Sendable () -> Bool)?,
    _ context: EngineContext
  ) {
    self.account = account
    self.session = session
    self.reason = reason
    self.backend = backend
    self.credentialStore = credentialStore
    self.mayBeSent = mayBeSent
    self.context = context
    wasInterrupted = account.renewalStartedAt != nil
    wasAnswered = wasInterrupted && account.marks.contains(.answered)
    self.account.marks.remove(.answered)
  }

  /// The credentials that are stored at the end.
  var credentials: Credentials { Credentials(account: account, token: session) }

  /// The end of an attempt.
  enum End {
    case done
    /// Nothing is known yet: worth another attempt, after a pause.
    case again(EngineError)
    /// The backend reports that it has ended, which counts if the same session is still stored a moment later.
    case doubtful
  }

  /// The attempts of a command so far, each of which is repeated at most once.
  struct Tries {
    /// The last confirmation that this command knows of; a later one is another process's.
    var seen: Timestamp?
    var exceptions = 0
    var refreshes = 0
    /// The session that the backend reported as ended before the account's lock was released.
    var doubted: Token?
    /// The reason, if nothing remains to be asked about it.
    var verdict: String?

    init(since seen: Timestamp?) { self.seen = seen }
  }

  /// Validates the session, and extends it if that is needed.
  ///
  /// - Parameter tries: The attempts of this command so far.
  /// - Returns: The end of the attempt, with ``End/again(_:)`` or ``End/doubtful`` to repeat it.
  /// - Throws: ``EngineError``; the session is kept in every case.
  func run(_ tries: inout Tries) async throws(EngineError) -> End {
    if let verdict = tries.verdict.take(), tries.doubted == session { throw try ended(verdict) }
    account = account.inFlight(since: context.world.clock.now())
    try context.accountStore.save(account)
    let word: SessionBackend.Reply<SessionAnswer>
    do { word = try await validated() } catch { return try unanswered(error) }
    try await keep(word.rotated)
    switch word.answer {
    case .valid(let details):
      try keep(details)
      tries.seen = account.validatedAt
      guard reason.extends(account, at: context.world.clock.now()) else { return try done() }
      return try await extend(&tries, after: nil)
    case .exceptionThrown(let reason) where tries.exceptions == 0:
      tries.exceptions += 1
      return try again(refusedError(reason))
    case .exceptionThrown(let reason), .ended(let reason):
      return try await extend(&tries, after: Refusal(reason: reason, isFinal: true))
    case .refused(let reason): return try await extend(&tries, after: Refusal(reason: reason, isFinal: false))
    case .unanswered(let noAnswer): return try unanswered(noAnswer)
    }
  }

  /// Requests a new session; the earlier answer decides the meaning of a rejection.
  private func extend(_ tries: inout Tries, after refusal: Refusal?) async throws(EngineError) -> End {
    try await claimAgain()
    let word: SessionBackend.Reply<SessionRefreshAnswer>
    do { word = try await backend.refresh(session, mayBeSent: mayBeSent) } catch { return try unanswered(error) }
    try await keep(word.rotated)
    switch word.answer {
    case .granted(let sealed, let owner):
      try requireOwn(owner)
      try await replace(sealed)
      return try await confirm(&tries)
    case .couldNot(let reason) where tries.refreshes == 0:
      tries.refreshes += 1
      if refusal?.isFinal == true { tries.doubted = session }
      return try again(notExtended(reason))
    case .couldNot(let reason), .refused(let reason): return try conclude(refusal, &tries, else: notExtended(reason))
    case .unanswered(.failed(let error)):
      return try conclude(refusal, &tries, else: .server(.oauth(error, backend.origin)))
    case .unanswered(let noAnswer): return try unanswered(noAnswer)
    }
  }

  /// Asks the backend for the expiry of a session that it has just issued.
  ///
  /// Without an answer it is as valid as any session whose expiry is unknown.
  private func confirm(_ tries: inout Tries) async throws(EngineError) -> End {
    try await claimAgain()
    guard let word = try? await validated() else { return try done() }
    try await keep(word.rotated)
    switch word.answer {
    case .valid(let details):
      try keep(details)
      return try done()
    case .ended(let reason):
      let refusal = Refusal(reason: reason, isFinal: true)
      return try conclude(refusal, &tries, else: refusedError(reason))
    case .exceptionThrown, .refused, .unanswered: return try done()
    }
  }

  private func validated() async throws(EngineError) -> SessionBackend.Reply<SessionAnswer> {
    try await backend.validate(session, mayBeSent: mayBeSent)
  }

  /// Claims the right to send again, if a write has ended it.
  private func claimAgain() async throws(EngineError) {
    guard needsClaim else { return }
    mayBeSent = try await credentialStore.claim(account)
    needsClaim = false
  }

  private func notExtended(_ reason: String) -> EngineError {
    .session(.notExtended(account: account.name, reason: reason))
  }
}

extension Account {
  /// Returns the account with the note that a renewal is in flight.
  func inFlight(since now: Timestamp) -> Account {
    var account = self
    account.renewalStartedAt = now
    return account
  }
}
