import AcctModel
import AcctPorts
import Synchronization

/// Keeps a key that was made in a token from being left there by Ctrl-C.
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

  /// Whether a signal came; what is guarded may not have been cancelled yet.
  var wasCalled: Bool { state.withLock { $0.wasCalled } }

  /// Does something that signals cancel once ``begin(_:)`` was called.
  ///
  /// It has a task of its own, so that its caller is not cancelled, and can undo what is left half-way.
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

  /// Has signals cancel what is guarded, until ``end()``; once is enough.
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
