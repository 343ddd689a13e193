import AcctModel
import AcctPorts
import AcctProtocol

/// How an attempt ends that did not bring a session that goes on.
extension SessionRenewalAttempt {
  /// Why the backend would not confirm the session.
  struct Refusal {
    var reason: String
    /// Whether it is the server's own word that the session is over.
    var isFinal: Bool
  }

  /// What is to be made of a session that neither was confirmed nor could be extended.
  ///
  /// A backend may take none but the newest session, and calls any other over. Another process's
  /// request may just have been given the newest, and waits for this one's lock to store it. So the
  /// word counts only if the same session is still kept after the lock was free for a moment.
  ///
  /// - Parameters:
  ///   - refusal: Why it was not confirmed; `nil` if it was.
  ///   - tries: Of this command so far.
  ///   - error: Why it could not be extended, where that is all there is to tell.
  /// - Returns: That the word is doubtful.
  /// - Throws: Why the session does not go on.
  mutating func conclude(
    _ refusal: Refusal?,
    _ tries: inout Tries,
    else error: EngineError
  ) throws(EngineError) -> End {
    guard let refusal else { throw try settled(error) }
    guard refusal.isFinal else { throw try settled(refusedError(refusal.reason)) }
    guard tries.doubted == session else {
      (tries.doubted, tries.verdict) = (session, refusal.reason)
      // An interruption that was found stays to be told of.
      if !wasInterrupted { account.renewalStartedAt = nil }
      try save()
      return .doubtful
    }
    throw try ended(refusal.reason)
  }

  /// Writes down that the session is over, and why.
  mutating func ended(_ reason: String) throws(EngineError) -> EngineError {
    let reason = wasInterrupted ? Renewal.interrupted(because: reason) : reason
    account.take(.ended, reason: reason, at: context.world.clock.now())
    return try settled(.signIn(.required(account: account.name, .ended(reason: reason))))
  }

  func refusedError(_ reason: String) -> EngineError { .session(.refused(account: account.name, reason: reason)) }

  /// No answer: the note stays where the backend may have given one.
  mutating func unanswered(_ error: EngineError) throws(EngineError) -> End {
    if !error.mayHaveReachedTheServer && !wasInterrupted { account.renewalStartedAt = nil }
    try save()
    let said = error.ofRenewal(inDoubt: wasInterrupted)
    guard case .network(.http(let failure, _)) = error, failure.mayPass else { throw said }
    return .again(said)
  }

  /// An answer that says nothing of the session: a backend that fails may soon work again.
  ///
  /// It may have replaced the session before it failed, so the note stays; and one that was found stays in
  /// any case.
  mutating func unanswered(_ noAnswer: NoAnswer) throws(EngineError) -> End {
    let error = EngineError(noAnswer, backend.origin).ofRenewal(inDoubt: wasInterrupted)
    guard case .serverFailed = noAnswer else {
      if !wasInterrupted { account.renewalStartedAt = nil }
      try save()
      throw error
    }
    try save()
    return .again(error)
  }

  mutating func again(_ error: EngineError) throws(EngineError) -> End {
    _ = try done()
    return .again(error)
  }

  mutating func settled(_ error: EngineError) throws(EngineError) -> EngineError {
    _ = try done()
    return error
  }

  /// Takes the note away: nothing is in flight any more.
  mutating func done() throws(EngineError) -> End {
    account.renewalStartedAt = nil
    try save()
    return .done
  }

  func save() throws(EngineError) { try credentialStore.save(account) }
}
