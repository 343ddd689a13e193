import AcctPorts
import Glibc

/// Does work that blocks on a thread of its own, and suspends the caller meanwhile.
///
/// A person who is asked takes minutes; on a thread of Swift's pool, which has one for each core,
/// that would hold up everything else in the process.
///
/// - Throws: what `body` throws, and `KeyringFailure.failed` if no thread can be had.
func onDedicatedThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws(KeyringFailure) -> Result
) async throws(KeyringFailure) -> Result {
  let outcome: Swift.Result<Result, KeyringFailure> = await withCheckedContinuation { caller in
    let job = Job { caller.resume(returning: Swift.Result(catching: body)) }
    let retained = unsafe Unmanaged.passRetained(job)
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread,
      nil,
      { data in
        if let data = unsafe data {
          unsafe Unmanaged<Job>.fromOpaque(data).takeRetainedValue().work()
        }
        return nil
      },
      retained.toOpaque()
    )
    if status == 0 {
      // The thread is never joined: the continuation is its only result.
      pthread_detach(thread)
    } else {
      unsafe retained.release()
      caller.resume(returning: .failure(.failed(reason: "no thread could be started")))
    }
  }
  return try outcome.get()
}

/// The work that crosses over to the thread, as something that C can point to.
private final class Job: Sendable {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
