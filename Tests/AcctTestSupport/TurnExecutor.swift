import Dispatch
import Synchronization

/// Runs tasks in turn, and tells when each of them has ended or waits for something outside.
package final class TurnExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "acct.tests.turns")
  private let waiting = Mutex(0)
  private let total = Mutex(0)

  package init() {}

  /// Whether no task can go on by itself.
  package var isIdle: Bool { waiting.withLock { $0 == 0 } }

  /// How many pieces of work it was given.
  package var jobs: Int { total.withLock(\.self) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    waiting.withLock { $0 += 1 }
    total.withLock { $0 += 1 }
    queue.async {
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.waiting.withLock { $0 -= 1 }
    }
  }
}
