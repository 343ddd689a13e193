import AcctModel
import AcctPorts
import AcctProtocol

/// One try to keep a session, from the note that it is in flight to the last write; its caller
/// holds the account's lock, and signals back.
struct SessionTurn {
  var account: Account
  var session: Token
  let wasInterrupted: Bool
  let backend: SessionBackend
  let wallet: Wallet
  let world: World
  let tell: Waiting.Teller

  init(
    _ account: Account,
    _ session: Token,
    at backend: SessionBackend,
    _ wallet: Wallet,
    _ world: World,
    _ tell: @escaping Waiting.Teller
  ) {
    self.account = account
    self.session = session
    self.backend = backend
    self.wallet = wallet
    self.world = world
    self.tell = tell
    wasInterrupted = account.renewalStartedAt != nil
  }

  /// How a try ends.
  enum End {
    case done
    /// Nothing is known yet: worth another try, after a pause.
    case again(EngineError)
  }

  /// What has been tried before, and is tried once more at most.
  struct Tries {
    /// The last confirmation that this command knows of; a later one is another process's.
    var seen: Timestamp?
    fileprivate var exceptions = 0
    fileprivate var refreshes = 0

    init(since seen: Timestamp?) { self.seen = seen }
  }

  /// Why the backend would not confirm the session.
  private struct Refusal {
    var reason: String
    /// Whether it is the server's own word that the session is over.
    var isFinal: Bool
  }

  /// Validates the session, and extends it if that is needed.
  ///
  /// - Parameters:
  ///   - tries: Of this command so far.
  ///   - isStale: Whether a session that was confirmed must be extended.
  /// - Returns: Whether to try again.
  /// - Throws: ``EngineError``; the session is kept in every case.
  mutating func run(
    _ tries: inout Tries,
    _ isStale: (Account) -> Bool
  ) async throws(EngineError) -> End {
    account.renewalStartedAt = world.clock.now()
    try save()
    let word: (answer: SessionAnswer, rolled: SealedSession?)
    do { word = try await backend.validate(session) } catch { return try unanswered(error) }
    switch word.answer {
    case .valid(let details):
      try await keep(details, word.rolled)
      tries.seen = account.validatedAt
      guard isStale(account) else { return try done() }
      return try await extend(&tries, after: nil)
    case .exceptionThrown(let reason) where tries.exceptions == 0:
      tries.exceptions += 1
      return try again(refusedError(reason))
    case .exceptionThrown(let reason), .ended(let reason):
      return try await extend(&tries, after: Refusal(reason: reason, isFinal: true))
    case .refused(let reason):
      return try await extend(&tries, after: Refusal(reason: reason, isFinal: false))
    case .serverFailed(let status, let retryAfter):
      return try again(.serverFailed(status: status, retryAfter: retryAfter, backend.origin))
    case .limited(let retryAfter):
      throw try settled(.rateLimited(retryAfter: retryAfter, backend.origin))
    case .failed(let error): throw try settled(.oauth(error, backend.origin))
    }
  }

  /// Asks for a new session; what was said before decides what a "no" means.
  private mutating func extend(
    _ tries: inout Tries,
    after refusal: Refusal?
  ) async throws(EngineError) -> End {
    let answer: SessionRefreshAnswer
    do { answer = try await backend.refresh(session) } catch { return try unanswered(error) }
    switch answer {
    case .granted(let sealed, let did):
      try requireSame(did)
      try await replace(sealed)
      return try await confirm()
    case .couldNot(let reason) where tries.refreshes == 0:
      tries.refreshes += 1
      return try again(.session(.notExtended(account: account.name, reason: reason)))
    case .couldNot(let reason), .refused(let reason):
      throw try over(refusal) ?? .session(.notExtended(account: account.name, reason: reason))
    case .serverFailed(let status, let retryAfter):
      return try again(.serverFailed(status: status, retryAfter: retryAfter, backend.origin))
    case .limited(let retryAfter):
      throw try settled(.rateLimited(retryAfter: retryAfter, backend.origin))
    case .failed(let error): throw try over(refusal) ?? .oauth(error, backend.origin)
    }
  }

  /// Learns from the backend how long a session is good for that it has just given.
  ///
  /// Without an answer it is as good as any whose end is not known.
  private mutating func confirm() async throws(EngineError) -> End {
    guard let word = try? await backend.validate(session) else { return try done() }
    switch word.answer {
    case .valid(let details):
      try await keep(details, word.rolled)
      return try done()
    case .ended(let reason):
      throw try over(Refusal(reason: reason, isFinal: true)) ?? refusedError(reason)
    case .exceptionThrown, .refused, .serverFailed, .limited, .failed: return try done()
    }
  }

  /// The error for a session that neither was confirmed nor could be extended.
  private mutating func over(_ refusal: Refusal?) throws(EngineError) -> EngineError? {
    guard let refusal else {
      _ = try done()
      return nil
    }
    guard refusal.isFinal else { return try settled(refusedError(refusal.reason)) }
    let reason =
      wasInterrupted ? Renewal.interrupted(because: refusal.reason) : refusal.reason
    account.take(.ended, reason: reason, at: world.clock.now())
    return try settled(.signInRequired(account: account.name, .ended(reason: reason)))
  }

  private func refusedError(_ reason: String) -> EngineError {
    .session(.refused(account: account.name, reason: reason))
  }
}
