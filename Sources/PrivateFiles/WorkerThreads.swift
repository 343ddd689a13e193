import Glibc

/// Does the same on this thread and on others beside it, and returns when all have finished.
///
/// If the system has no thread to give, the others do all the work: `body` has to take its share
/// from what is left, and must not rely on other threads.
///
/// - Parameters:
///   - count: How many threads are wanted beside this one.
///   - body: What each of them does.
func withWorkerThreads(_ count: Int, _ body: @Sendable () -> Void) {
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
    // Whatever they were lent is theirs until they have ended.
    for thread in threads { pthread_join(thread, nil) }
  }
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
