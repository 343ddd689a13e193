/// Finishes work that must not stop half-way, even if its caller is cancelled.
///
/// A signal is held back meanwhile, but a task can be cancelled for other reasons: the proxy cancels its work for a
/// client that has disconnected. A renewal that is cut off between the server's answer and the keyring would lose the
/// session.
///
/// - Parameter body: The work; its task is never cancelled.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
package func uncancelled<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(EngineError) -> Value
) async throws(EngineError) -> Value { try await inOwnTask(body) }

/// Does work in a separate task, which its caller's cancellation does not reach.
///
/// The result, which may contain secrets, is handed over instead of being the task's own: a task can still exist, with
/// its result, when its caller has continued and the process ends. The values that `body` has captured are released
/// before the task ends, which is waited for.
///
/// - Parameters:
///   - body: The work.
///   - started: Takes the task, which may have begun already.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
package func inOwnTask<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(EngineError) -> Value,
  started: (Task<Void, Never>) -> Void = { _ in }
) async throws(EngineError) -> Value {
  var work: Task<Void, Never>?
  let result: Result<Value, EngineError> = await withCheckedContinuation { caller in
    let task = Task {
      do throws(EngineError) { caller.resume(returning: .success(try await body())) } catch {
        caller.resume(returning: .failure(error))
      }
    }
    started(task)
    work = task
  }
  await work?.value
  return try result.get()
}

/// Returns the result of the first source that ends; the others are cancelled, and waited for.
func first<Value: Sendable>(of sources: [@Sendable () async -> Value?]) async -> Value? {
  await withTaskGroup(of: Value?.self) { group in
    for source in sources { group.addTask { await source() } }
    let value = await group.next() ?? nil
    group.cancelAll()
    return value
  }
}

/// Waits until the task is cancelled.
func forever() async {
  let (nothing, ending) = AsyncStream.makeStream(of: Never.self)
  for await _ in nothing {}
  ending.finish()
}
