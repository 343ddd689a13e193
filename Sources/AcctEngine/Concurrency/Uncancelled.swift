/// Finishes work that must not stop half-way, even if its caller is cancelled.
///
/// A signal is held back meanwhile, but a task can be cancelled for other reasons: the proxy cancels
/// what it does for a client that has gone. A renewal that is cut off between the server's answer
/// and the keyring would lose the session.
///
/// - Parameter body: What has to be done; its task is never cancelled.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
func uncancelled<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(EngineError) -> Value
) async throws(EngineError) -> Value {
  let work = Task { () async -> Result<Value, EngineError> in
    do throws(EngineError) { return .success(try await body()) } catch { return .failure(error) }
  }
  return try await work.value.get()
}
