import Glibc

/// Does work that blocks on a thread of its own, and suspends the caller meanwhile.
///
/// On a thread of Swift's pool, which has one for each core, it would hold up everything else in the process.
///
/// - Parameters:
///   - failure: What is thrown if no thread can be had.
///   - body: The work.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or `failure`.
package func onDedicatedThread<Result: Sendable, Failure: Error>(
  orThrow failure: Failure,
  _ body: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
  let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { caller in
    let isStarted = startThread { caller.resume(returning: Swift.Result(catching: body)) }
    if !isStarted { caller.resume(returning: .failure(failure)) }
  }
  return try outcome.get()
}

/// Starts a thread that is never joined; returns `false` if none can be had.
package func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  let retained = unsafe Unmanaged.passRetained(Job(work))
  var thread = pthread_t()
  let status = unsafe pthread_create(
    &thread,
    nil,
    { data in
      if let data = unsafe data { unsafe Unmanaged<Job>.fromOpaque(data).takeRetainedValue().work() }
      return nil
    },
    retained.toOpaque()
  )
  guard status == 0 else {
    unsafe retained.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// The work that crosses over to the thread, as something that C can point to.
private final class Job: Sendable {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
