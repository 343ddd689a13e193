import AcctModel
import AcctPorts
import PrivateFiles
import Synchronization

/// Does work that blocks on a thread of its own, and suspends the caller meanwhile.
///
/// A call into a module can't be interrupted. After the limit the caller goes on without it; the thread and its
/// memory stay until the call returns or the process ends.
///
/// - Parameters:
///   - limit: The time limit of the work; without end if `nil`.
///   - late: The failure after that.
///   - body: The work.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, `late`, or a failure if no thread is available.
func onDeviceThread<Result: Sendable>(
  limit: Duration?,
  late: @autoclosure @escaping @Sendable () -> HardwareKeyFailure,
  _ body: @escaping @Sendable () throws(HardwareKeyFailure) -> Result
) async throws(HardwareKeyFailure) -> Result {
  let outcome: Swift.Result<Result, HardwareKeyFailure> = await withCheckedContinuation { caller in
    let answer = FirstAnswer(caller)
    let timer = limit.map { limit in after(limit) { answer.give(.failure(late())) } }
    let isStarted = startThread {
      let result = Swift.Result(catching: body)
      timer?.cancel()
      answer.give(result)
    }
    if !isStarted {
      timer?.cancel()
      answer.give(.failure(.failed(reason: "no thread could be started")))
    }
  }
  return try outcome.get()
}

/// Tells the person, once, when a signature takes long.
final class TouchWatch: Sendable {
  private let delay: Duration
  private let announce: @Sendable () -> Void
  private let announced = Mutex(false)

  init(after delay: Duration, _ announce: @escaping @Sendable () -> Void) {
    self.delay = delay
    self.announce = announce
  }

  var wasAnnounced: Bool { announced.withLock { $0 } }

  func watch<Result>(_ call: () -> Result) -> Result {
    let timer = after(delay) { [self] in
      let isFirst = announced.withLock { announced in
        defer { announced = true }
        return !announced
      }
      if isFirst { announce() }
    }
    defer { timer.cancel() }
    return call()
  }
}

/// Does something after a time, unless the task is cancelled before.
private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
  Task {
    do { try await Task.sleep(for: delay) } catch { return }
    body()
  }
}

/// Resumes a caller with the first of two answers.
private final class FirstAnswer<Result: Sendable>: Sendable {
  private typealias Caller = CheckedContinuation<Swift.Result<Result, HardwareKeyFailure>, Never>
  private let caller: Mutex<Caller?>

  init(_ caller: CheckedContinuation<Swift.Result<Result, HardwareKeyFailure>, Never>) { self.caller = Mutex(caller) }

  func give(_ result: Swift.Result<Result, HardwareKeyFailure>) {
    caller.withLock { $0.take() }?.resume(returning: result)
  }
}
