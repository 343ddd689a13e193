import AcctEngine
import AcctPorts
import Synchronization

/// Prevents Ctrl-C from leaving a key behind that was just made in a token.
///
/// Until a key is made, a signal has its usual effect, and the process ends. From then on it cancels the sign-in
/// instead, which removes the key.
final class SignalGuard: Sendable {
  private struct State {
    var isGuarding = false
    var work: Task<Void, Never>?
    var watch: HeldSignals?
    var wasCalled = false
  }

  private let state = Mutex(State())

  /// `true` if a signal came; the guarded work may not have been cancelled yet.
  var wasCalled: Bool { state.withLock { $0.wasCalled } }

  /// Does work that signals cancel once ``begin(_:)`` was called.
  ///
  /// It runs in a separate task, so that its caller is not cancelled, and can undo a half-done operation.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  func guarding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    state.withLock { $0.isGuarding = true }
    defer {
      state.withLock { state in
        state.isGuarding = false
        state.work = nil
      }
    }
    return try await inOwnTask(body) { work in
      state.withLock { state in
        state.work = work
        if state.wasCalled { work.cancel() }
      }
    }
  }

  /// Makes signals cancel the guarded work, until ``end()``; further calls have no effect.
  func begin(_ signals: Signals) {
    state.withLock { state in
      guard state.isGuarding, state.watch == nil else { return }
      state.watch = signals.watch { self.cancel() }
    }
  }

  /// Gives signals their usual effect again.
  func end() {
    let watch = state.withLock { $0.watch.take() }
    watch?.release()
  }

  private func cancel() {
    let work = state.withLock { state in
      state.wasCalled = true
      return state.work
    }
    work?.cancel()
  }
}
