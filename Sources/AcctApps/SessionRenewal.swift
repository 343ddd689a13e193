import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Renewal of a backend's sealed session: validated, then extended, and only then ended.
///
/// Between two attempts the lock is free and Ctrl-C works: many processes that wait for one backend wait together, and
/// the first that reaches it obtains the answer for all.
struct SessionRenewal: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The time that other processes get to store a session that the backend has just issued, in seconds.
  private static let moment: Int64 = 1

  /// Renews the session of an account; see ``AppBackends/renew(_:because:_:)``.
  func renew(_ account: Account, because reason: RenewalReason) async throws(EngineError) -> RenewedSession {
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
    _ reason: RenewalReason,
    _ tries: inout SessionRenewalAttempt.Tries
  ) async throws(EngineError) -> (SessionRenewalAttempt.End, RenewedSession) {
    var known = account
    known.validatedAt = tries.seen
    return try await Renewal(context).renewing(account) {
      (current, credentialStore) throws(EngineError) -> (SessionRenewalAttempt.End, RenewedSession) in
      let now = context.world.clock.now()
      try current.requireNotEnded(at: now)
      let credentials = try await credentialStore.readForRenewal()
      guard let session = credentials.token, let backend = SessionBackend(of: current, context) else {
        throw current.stateError(current.assess(.missing, at: now))
      }
      guard reason.applies(to: credentials, since: known, at: now) else {
        context.tell(.renewedElsewhere(current.name, nil))
        return (.done, RenewedSession(account: credentials.account, token: credentials.token, wasDue: false))
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
          at: backend,
          credentialStore,
          mayBeSent,
          context
        )
        var tries = before
        let end = try await attempt.run(&tries)
        return (end, attempt.renewed, tries)
      }
      tries = after
      return (end, renewed)
    }
  }
}

/// One attempt to renew a session, from the note that it is in flight to the last write; its caller holds the
/// account's lock, and holds back signals.
final class SessionRenewalAttempt {
  var account: Account
  var session: Token
  let reason: RenewalReason
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
    because reason: RenewalReason,
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
  var renewed: RenewedSession { RenewedSession(account: account, token: session, wasDue: true) }

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

/// The ends of an attempt that did not result in a valid session.
extension SessionRenewalAttempt {
  /// The reason why the backend did not confirm the session.
  struct Refusal {
    var reason: String
    /// `true` if the server itself states that the session has ended.
    var isFinal: Bool
  }

  /// Decides about a session that was neither confirmed nor extended.
  ///
  /// A backend may accept only the newest session, and reports any other as ended. Another process's request may just
  /// have obtained the newest, and waits for this one's lock to store it. So the answer counts only if the same
  /// session is still stored after the lock was free for a moment.
  ///
  /// - Parameters:
  ///   - refusal: The reason why it was not confirmed; `nil` if it was.
  ///   - tries: The attempts of this command so far.
  ///   - error: The reason why it could not be extended, if there is no other to report.
  /// - Returns: ``End/doubtful``.
  /// - Throws: The reason why the session does not continue.
  func conclude(
    _ refusal: Refusal?,
    _ tries: inout Tries,
    else error: EngineError
  ) throws(EngineError) -> End {
    guard let refusal else { throw try settled(error) }
    guard refusal.isFinal else { throw try settled(refusedError(refusal.reason)) }
    guard tries.doubted == session else {
      (tries.doubted, tries.verdict) = (session, refusal.reason)
      // An interruption that was found must still be reported later.
      if !wasInterrupted { account.renewalStartedAt = nil }
      try save()
      return .doubtful
    }
    throw try ended(refusal.reason)
  }

  /// Records the end of the session, with the reason.
  func ended(_ reason: String) throws(EngineError) -> EngineError {
    let reason =
      !wasInterrupted ? reason : wasAnswered ? StateReason.unstored(reason).text : StateReason.interrupted(reason).text
    let before = account.recordedState
    account.take(.ended, reason: reason, at: context.world.clock.now())
    context.noteRejection(of: &account, since: before)
    return try settled(.signIn(.required(account: account.name, .ended(reason: reason))))
  }

  func refusedError(_ reason: String) -> EngineError { .session(.refused(account: account.name, reason: reason)) }

  /// Handles a missing answer: the note stays if the backend may have given one.
  func unanswered(_ error: EngineError) throws(EngineError) -> End {
    if !error.mayHaveReachedTheServer && !wasInterrupted { account.renewalStartedAt = nil }
    try save()
    let said = error.ofRenewal(inDoubt: wasInterrupted)
    guard case .network(.http(let failure, _)) = error, failure.mayPass else { throw said }
    return .again(said)
  }

  /// Handles an answer that says nothing about the session: a backend that fails may soon work again.
  ///
  /// It may have replaced the session before it failed, so the note stays; and a note that was found stays in any
  /// case.
  func unanswered(_ noAnswer: NoAnswer) throws(EngineError) -> End {
    let error = EngineError(noAnswer, backend.origin).ofRenewal(inDoubt: wasInterrupted)
    guard case .serverFailed = noAnswer else {
      if !wasInterrupted { account.renewalStartedAt = nil }
      try save()
      throw error
    }
    if !wasInterrupted || wasAnswered { account.marks.insert(.answered) }
    try save()
    return .again(error)
  }

  func again(_ error: EngineError) throws(EngineError) -> End {
    _ = try done()
    return .again(error)
  }

  func settled(_ error: EngineError) throws(EngineError) -> EngineError {
    _ = try done()
    return error
  }

  /// Removes the note: no request is in flight any more.
  func done() throws(EngineError) -> End {
    account.renewalStartedAt = nil
    try save()
    return .done
  }

  func save() throws(EngineError) { try credentialStore.save(account) }
}

/// The writes of an attempt: the new session first, since all else can be requested again with it.
extension SessionRenewalAttempt {
  /// Stores the new session in a response, whatever else the response says: a backend may accept no other from then
  /// on.
  func keep(_ rotated: RotatedCookie?) async throws(EngineError) {
    guard let rotated else { return }
    try requireOwn(rotated.owner)
    try await store(rotated.session)
  }

  /// Applies the details that the backend confirmed.
  func keep(_ details: SessionDetails) throws(EngineError) {
    try requireOwn(details.owner)
    account.keep(details, at: context.world.clock.now())
  }

  /// Stores a new session whose expiry is not known yet.
  func replace(_ sealed: SealedSession) async throws(EngineError) {
    account.tokenLifetime.expiresAt = nil
    account.take(.confirmed, at: context.world.clock.now())
    context.note(.renewed, of: &account)
    try await store(sealed)
  }

  private func store(_ sealed: SealedSession) async throws(EngineError) {
    guard sealed.token != session else { return }
    try await KeyringRetry(context).write([.init(.session, sealed.token)], with: account, to: credentialStore)
    session = sealed.token
    needsClaim = mayBeSent != nil
  }

  func requireOwn(_ owner: SessionOwner) throws(EngineError) {
    do throws(EngineError) { try account.require(owner, backend.origin, context.world.held) } catch {
      throw try settled(error)
    }
  }
}

extension Account {
  /// Applies the details that a backend confirmed for its session.
  mutating func keep(_ details: SessionDetails, at now: Timestamp) {
    handle = details.owner.handle ?? handle
    displayName = details.displayName ?? displayName
    tokenLifetime.expiresAt = details.expiresAt
    take(.confirmed, at: now)
  }

  /// Rejects a backend's statement about another user's session.
  ///
  /// - Throws: ``SessionError/otherIdentity(expected:found:_:)``.
  func require(_ owner: SessionOwner, _ origin: Origin, _ held: HeldSecrets) throws(EngineError) {
    guard let stranger = owner.stranger(to: did, handle) else { return }
    throw .session(.otherIdentity(expected: stranger.expected, found: held.redactor.redact(stranger.found), origin))
  }
}
