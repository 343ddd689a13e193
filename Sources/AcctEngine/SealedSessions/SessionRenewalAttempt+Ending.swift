import AcctModel
import AcctPorts
import AcctProtocol

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
