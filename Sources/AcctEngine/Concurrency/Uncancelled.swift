import Synchronization

/// Finishes work that must not stop half-way, even if its caller is cancelled.
///
/// A signal is held back meanwhile, but a task can be cancelled for other reasons: the proxy cancels
/// what it does for a client that has gone. A renewal that is cut off between the server's answer
/// and the keyring would lose the session.
///
/// The result is handed over in a box, and not as the task's own, which may contain secrets: a task can
/// still be there, with its result, when its caller has gone on and the process ends.
///
/// - Parameter body: What has to be done; its task is never cancelled.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
func uncancelled<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(EngineError) -> Value
) async throws(EngineError) -> Value {
  let box = Box<Value>()
  let work = Task {
    let result: Result<Value, EngineError>
    do throws(EngineError) { result = .success(try await body()) } catch {
      result = .failure(error)
    }
    box.result.withLock { $0 = result }
  }
  await work.value
  // A task that has ended has put its result there.
  guard let result = box.result.withLock({ $0.take() }) else { throw .cancelled }
  return try result.get()
}

/// What a task hands over to its caller.
private final class Box<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, EngineError>?>(nil)
}
