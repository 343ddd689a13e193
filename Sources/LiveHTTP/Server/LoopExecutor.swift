import AcctPorts
import NIOCore

/// Runs tasks on an event loop's thread, where the events that they wait for happen: no other thread has to wake up.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop
  private let current: NIOLoopBoundBox<LoopTurn?>

  init(_ loop: any EventLoop) {
    self.loop = loop
    current = .makeEmptyBox(eventLoop: loop)
  }

  /// The loop's turn at this moment; on another thread one of its own.
  func turn() -> LoopTurn {
    guard loop.inEventLoop else { return LoopTurn() }
    if let turn = current.value { return turn }
    let turn = LoopTurn()
    current.value = turn
    // All that it has been told so far comes before that, and the answers to what it reads afterwards behind it.
    loop.execute { self.current.value = nil }
    return turn
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
