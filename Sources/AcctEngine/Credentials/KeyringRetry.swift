import AcctModel
import AcctPorts

/// Waits for a keyring that can't store an answer that a server gives only once.
///
/// Before the request, the keyring was writable. If it has been locked since, or its process has ended, the user gets
/// time to restore it: meanwhile the credentials are only in memory, and without them the session may be lost.
struct KeyringRetry: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Runs an operation of the keyring, and repeats it every second if it fails for a temporary reason.
  ///
  /// A person gets 2 minutes, as when the keyring itself prompts. If no person may be asked, or none could be, another
  /// program may still unlock it, and gets 10 seconds.
  ///
  /// - Parameters:
  ///   - owner: The owner of the session, as the user sees it.
  ///   - attempt: The operation; only its first run may ask a person.
  /// - Returns: What `attempt` returns.
  /// - Throws: The error of the first attempt; ``SessionError/notStored(_:_:)`` if the keyring did not recover in
  ///   time.
  func run<Value: Sendable>(
    for owner: String,
    _ attempt: (Interaction) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    let interaction = context.interaction
    let started = context.world.clock.now()
    let failure: EngineError
    do { return try await attempt(interaction) } catch { failure = error }
    // A single failure, such as of a disk, need not repeat itself.
    if case .keyring(.failed(.failed, _)) = failure, let value = try? await attempt(.forbidden) { return value }
    guard case .keyring(.failed(let cause, let kind)) = failure, cause.mayPass else { throw failure }

    // An attempt may take seconds itself, so the clock counts, and not the attempts. A person's time begins when the
    // first attempt, in which the keyring may have prompted, has failed.
    let isPersons = interaction == .allowed && canBeAnswered(cause, kind)
    let seconds: Int64 = isPersons ? 120 : 10
    let start = interaction == .allowed ? context.world.clock.now() : started
    let end = start.adding(seconds: seconds)
    defer { context.report(.over) }
    context.report(.toStore(owner: owner, kind, seconds: seconds))
    // The number is an upper bound, in case the clock is set back meanwhile.
    for _ in 0..<seconds where context.world.clock.now().seconds(since: end) < 0 {
      guard await context.world.clock.sleep(1) else { break }
      // The first failure is the one to report.
      if let value = try? await attempt(.forbidden) { return value }
    }
    throw .session(.notStored(cause, kind))
  }

  /// Returns `true` if a person is likely to notice the wait: at the terminal, or, if a provider of the Secret Service
  /// is running and locked, at its own prompt.
  private func canBeAnswered(_ cause: KeyringFailure, _ kind: Keyring.Kind) -> Bool {
    if context.world.terminal.canAsk() { return true }
    return cause.isLocked && kind == .secretService
  }

  /// Writes items of an account.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - account: The account after the write; a shared keyring stores it in the same step.
  ///   - credentialStore: The destination.
  /// - Throws: ``EngineError``, as above.
  func write(
    _ items: [Keyring.Item],
    with account: Account,
    to credentialStore: CredentialStore
  ) async throws(EngineError) {
    try await run(for: credentialStore.account.name.description) {
      (interaction) async throws(EngineError) in
      var credentialStore = credentialStore
      credentialStore.context.interaction = interaction
      try await credentialStore.write(items, with: account)
    }
  }

  /// Writes items of an account, and saves it: after them, or in the same step.
  ///
  /// - Throws: ``EngineError``, as above.
  func store(
    _ items: [Keyring.Item],
    with account: Account,
    in credentialStore: CredentialStore
  ) async throws(EngineError) {
    try await write(items, with: account, to: credentialStore)
    try credentialStore.saveWritten(account)
  }
}
