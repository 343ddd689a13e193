import Glibc
import Synchronization

/// Runs the jobs of a task on the thread that waits for the task: a callback of C can't suspend.
///
/// No other thread is needed, so that it does not matter how many of the pool wait as well.
final class WaitingExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = Counter()

  /// A semaphore, which stays in its place.
  @safe private final class Counter: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { unsafe sem_init(semaphore, 0, 0) }
    deinit {
      unsafe sem_destroy(semaphore)
      unsafe semaphore.deallocate()
    }
    func post() { unsafe sem_post(semaphore) }
    func wait() { while unsafe sem_wait(semaphore) != 0 {} }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.post()
  }

  /// Does asynchronous work, and returns when it is done.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let outcome = Outcome<Value>()
    Task(executorPreference: self) {
      let value = await body()
      outcome.value.withLock { $0 = value }
      self.count.post()
    }
    while true {
      count.wait()
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let job { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      if let value = outcome.value.withLock({ $0 }) { return value }
    }
  }
}
