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
    let patience = Patience(context, owner)
    defer { patience.finish() }
    while true {
      do throws(EngineError) { return try await attempt(patience.interaction) } catch {
        try await patience.wait(after: error)
      }
    }
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

/// The waits between the attempts, which are the same for every operation.
private final class Patience {
  private let context: EngineContext
  private let owner: String
  /// When the first attempt began.
  private let started: Timestamp
  /// The first failure is the one to report; `nil` before it.
  private var failure: EngineError?
  /// The end of the wait; `nil` as long as there is none.
  private var deadline: Timestamp?
  /// The most attempts that are left: an upper bound, in case the clock is set back meanwhile.
  private var left: Int64 = 0

  init(_ context: EngineContext, _ owner: String) {
    self.owner = owner
    self.context = context
    started = context.world.clock.now()
  }

  /// Only the first attempt may ask a person.
  var interaction: Interaction { failure == nil ? context.interaction : .forbidden }

  /// Waits a second, if the keyring has to recover before another attempt.
  ///
  /// - Parameter error: The failure of the last attempt.
  /// - Throws: The error to report, if there is no other attempt.
  @inline(never)
  func wait(after error: EngineError) async throws(EngineError) {
    let first = failure ?? error
    guard case .keyring(.failed(let cause, let kind)) = first else { throw first }
    defer { failure = first }
    // A single failure, such as of a disk, need not repeat itself.
    if case .failed = cause, failure == nil { return }
    guard cause.mayPass else { throw first }
    let end = deadline ?? begin(for: cause, kind)
    let isOver = left <= 0 || context.world.clock.now().seconds(since: end) >= 0
    left -= 1
    guard !isOver, await context.world.clock.sleep(1) else { throw .session(.notStored(cause, kind)) }
  }

  /// Reports that the wait is over, if there was one.
  func finish() { if deadline != nil { context.report(.over) } }

  /// Begins to wait.
  ///
  /// An attempt may take seconds itself, so the clock counts, and not the attempts. A person's time begins when the
  /// first attempt, in which the keyring may have prompted, has failed.
  private func begin(for cause: KeyringFailure, _ kind: Keyring.Kind) -> Timestamp {
    let mayAsk = context.interaction == .allowed
    let seconds: Int64 = mayAsk && canBeAnswered(cause, kind) ? 120 : 10
    let end = (mayAsk ? context.world.clock.now() : started).adding(seconds: seconds)
    deadline = end
    left = seconds
    context.report(.toStore(owner: owner, kind, seconds: seconds))
    return end
  }

  /// Returns `true` if a person is likely to notice the wait: at the terminal, or, if a provider of the Secret Service
  /// is running and locked, at its own prompt.
  private func canBeAnswered(_ cause: KeyringFailure, _ kind: Keyring.Kind) -> Bool {
    if context.world.terminal.canAsk() { return true }
    return cause.isLocked && kind == .secretService
  }
}
