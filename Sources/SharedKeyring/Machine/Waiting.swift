import AcctPorts
import Glibc
import PrivateFiles
import Synchronization

/// Runs asynchronous work to its end on threads of its own, while this thread waits: this machine's other keyrings are
/// asked asynchronously, and an engine's calls block.
///
/// - Throws: What `body` throws.
func waiting<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(KeyringFailure) -> Value
) throws(KeyringFailure) -> Value {
  let outcome = Mutex<Result<Value, KeyringFailure>?>(nil)
  let end = Semaphore()
  Task(executorPreference: ThreadExecutor.shared) {
    let result: Result<Value, KeyringFailure>
    do throws(KeyringFailure) { result = .success(try await body()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    end.signal()
  }
  end.wait()
  guard let result = outcome.withLock({ $0 }) else { throw .timedOut }
  return try result.get()
}

/// Runs each job on a thread of its own: a thread of Swift's pool may be the one that waits.
private final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Without a thread the one that waits would do so for ever; the job is run late rather than never.
    while !startThread({ unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }) { usleep(10_000) }
  }
}

/// A semaphore of POSIX threads, sem_init(3).
@safe private final class Semaphore: @unchecked Sendable {
  private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { unsafe sem_init(pointer, 0, 0) }

  deinit {
    unsafe sem_destroy(pointer)
    unsafe pointer.deallocate()
  }

  func signal() { unsafe sem_post(pointer) }

  func wait() { while unsafe sem_wait(pointer) != 0 {} }
}
