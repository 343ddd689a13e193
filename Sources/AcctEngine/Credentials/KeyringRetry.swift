import AcctModel
import AcctPorts

/// Waits for a keyring that can't store what a server gives only once.
///
/// Before the request, the keyring could be written. If it has been locked since, or its process has
/// ended, the user gets time to bring it back: meanwhile the credentials are only in memory, and
/// without them the session may be lost.
struct KeyringRetry: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Does something with the keyring, and again every second where that can't be done now.
  ///
  /// A person gets 2 minutes, as when the keyring itself asks. Where no person may be asked, or none
  /// could be, another program may still unlock it, and gets 10 seconds.
  ///
  /// - Parameters:
  ///   - owner: Whose session it is, for the user.
  ///   - attempt: What to do; whether a person may be asked differs: once, not every second.
  /// - Returns: What `attempt` returned.
  /// - Throws: What it threw the first time; ``SessionError/notStored(_:_:)`` if the keyring did
  ///   not come back in time.
  func run<Value: Sendable>(
    for owner: String,
    _ attempt: (Interaction) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    let interaction = context.interaction
    let started = context.world.clock.now()
    let failure: EngineError
    do { return try await attempt(interaction) } catch { failure = error }
    // What has failed once, for a disk's reason or another, need not fail again.
    if case .keyring(.failed(.failed, _)) = failure, let value = try? await attempt(.forbidden) { return value }
    guard case .keyring(.failed(let cause, let kind)) = failure, cause.mayPass else { throw failure }

    // An attempt may take seconds itself, so the clock counts, and not the attempts. A person's time
    // begins when the first attempt, in which the keyring may have asked them, has failed.
    let isPersons = interaction == .allowed && canBeAnswered(cause, kind)
    let seconds: Int64 = isPersons ? 120 : 10
    let start = interaction == .allowed ? context.world.clock.now() : started
    let end = start.adding(seconds: seconds)
    defer { context.report(.over) }
    context.report(.toStore(owner: owner, kind, seconds: seconds))
    // The number is a bound, should the clock be set back meanwhile.
    for _ in 0..<seconds where context.world.clock.now().seconds(since: end) < 0 {
      guard await context.world.clock.sleep(1) else { break }
      // The first failure is the one to tell.
      if let value = try? await attempt(.forbidden) { return value }
    }
    throw .session(.notStored(cause, kind))
  }

  /// Whether a person is likely to see that the keyring is waited for: at the terminal, or, where a
  /// provider of the Secret Service is there and locked, at its own prompt.
  private func canBeAnswered(_ cause: KeyringFailure, _ kind: Keyring.Kind) -> Bool {
    if context.world.terminal.canAsk() { return true }
    return cause.isLocked && kind == .secretService
  }

  /// Writes items of an account.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - account: As it is with them; a shared keyring takes it in the same step.
  ///   - credentialStore: Where to.
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
