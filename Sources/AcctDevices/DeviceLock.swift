package import AcctModel
import Synchronization

/// Lets one task at a time use a device, in the order in which they came.
package final class DeviceLock: Sendable {
  private struct State {
    var isTaken = false
    var lastNumber = 0
    var waiting: [(number: Int, caller: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the caller's turn, and takes it; ``pass()`` ends it.
  ///
  /// A task that is cancelled stops waiting. It still takes a turn that is free: there may be a key to remove.
  ///
  /// - Throws: ``HardwareKeyFailure/cancelled``; then there is nothing to pass.
  package func take() async throws(HardwareKeyFailure) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<Bool, Never>) in
        let answer = state.withLock { state -> Bool? in
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          // The handler has run already, and found no waiting caller.
          if Task.isCancelled { return false }
          state.waiting.append((number, caller))
          return nil
        }
        if let answer { caller.resume(returning: answer) }
      }
    } onCancel: {
      leave(number)
    }
    guard isMine else { throw .cancelled }
  }

  /// Gives the turn to the next task.
  package func pass() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().caller
    }
    next?.resume(returning: true)
  }

  /// The number of waiting callers.
  package var length: Int { state.withLock { $0.waiting.count } }

  private func leave(_ number: Int) {
    let caller = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).caller }
    }
    caller?.resume(returning: false)
  }
}
