import AcctModel
import AcctPorts
import Synchronization

/// Keeps a key that was made in a token from being left there by Ctrl-C.
///
/// Until a key is made, a signal has its usual effect, and the process ends. From then on it cancels the sign-in
/// instead, which removes the key.
final class SignalGuard: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var watch: HeldSignals?
    var wasCalled = false
  }

  private let state = Mutex(State())

  /// Whether a signal came; what is guarded may not have been cancelled yet.
  var wasCalled: Bool { state.withLock { $0.wasCalled } }

  /// Does something that signals cancel once ``begin()`` was called.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  func guarding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    let (caught, signal) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      state.cancel = { [self] in
        self.state.withLock { $0.wasCalled = true }
        signal.yield()
      }
    }
    defer { state.withLock { $0.cancel = nil } }
    let outcome = await withTaskGroup(of: Result<Value, EngineError>?.self) { group in
      group.addTask {
        do throws(EngineError) { return .success(try await body()) } catch {
          return .failure(error)
        }
      }
      group.addTask {
        for await _ in caught { break }
        return nil
      }
      var outcome: Result<Value, EngineError>?
      for await result in group {
        group.cancelAll()
        outcome = outcome ?? result
      }
      return outcome
    }
    // The first of the two always ends with an outcome.
    guard let outcome else { throw .key(.hardware(.cancelled, .pkcs11)) }
    return try outcome.get()
  }

  /// Has signals cancel what is guarded, until ``end()``; once is enough.
  func begin(_ signals: Signals) {
    state.withLock { state in
      guard let cancel = state.cancel, state.watch == nil else { return }
      state.watch = signals.watch(cancel)
    }
  }

  /// Gives signals their usual effect again.
  func end() {
    let watch = state.withLock { $0.watch.take() }
    watch?.release()
  }
}
