import Synchronization

/// Lets in one at a time, in the order in which they came; a waiting caller holds no thread.
final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Waits for a turn, which ``leave()`` must end.
  func enter() async {
    if take() { return }
    await withCheckedContinuation { turn in
      let isMine = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(turn)
        return false
      }
      if isMine { turn.resume() }
    }
  }

  /// Ends a turn, and begins the next.
  func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }

  /// Takes the turn, if it is free.
  private func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }
}
