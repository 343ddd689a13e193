import Glibc

/// Does work that blocks on a thread of its own, and suspends the caller meanwhile.
///
/// On a thread of Swift's pool, which has one for each core, it would hold up everything else in the process.
///
/// - Parameters:
///   - failure: The error if no thread is available.
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

/// Starts a thread that is never joined; returns `false` if none is available.
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

/// Does the same on this thread and on others beside it, and returns when all have finished.
///
/// If the system has no thread to give, the others do all the work: `body` has to take its share from the rest, and
/// must not rely on other threads.
///
/// - Parameters:
///   - count: The number of threads beside this one.
///   - body: The work of each of them.
package func withWorkerThreads(_ count: Int, _ body: @Sendable () -> Void) {
  // For a message, the compiler writes the length of this file's path into the program: another one in each folder.
  #sourceLocation(file:"withWorkerThreads",line:1)
  withoutActuallyEscaping(body) { body in
    let work = Work(body)
    var threads: [pthread_t] = []
    for _ in 0..<count {
      var thread = pthread_t()
      let argument = unsafe Unmanaged.passUnretained(work).toOpaque()
      guard unsafe pthread_create(&thread, nil, help, argument) == 0 else { break }
      threads.append(thread)
    }
    body()
    // The memory that they were lent is theirs until they have ended.
    for thread in threads { pthread_join(thread, nil) }
  }
  #sourceLocation()
}

/// The work as something that C can point to.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func help(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body() }
  return nil
}
