import Glibc
import NIOCore
import NIOPosix

/// Runs tasks on an event loop's thread, where the events that they wait for happen: no other thread has to wake up.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension MultiThreadedEventLoopGroup {
  /// Ends the thread.
  func end() async {
    // It fails only where it has ended already.
    try? await shutdownGracefully()
  }
}

func reason(_ error: any Error) -> String {
  guard let error = error as? IOError else { return "the system can't" }
  let words = unsafe String(cString: strerror(error.errnoCode))
  return words.prefix(1).lowercased() + words.dropFirst()
}
