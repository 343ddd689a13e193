import Dispatch
import Glibc
import Synchronization

/// A child that has been started, and is stopped at the latest when this is released.
///
/// The child leads a process group of its own, and signals go to that group: what it started in
/// turn ends with it.
package final class RunningProcess: Sendable {
  /// The child's id, which is also its process group's.
  package let id: Int32
  package let standardOutput: CapturedFile
  package let standardError: CapturedFile
  private let program: String
  private let ending = Ending()

  /// Starts a child.
  package init(_ child: ChildProcess) throws(ProcessFailure) {
    program = child.program
    let input = try CapturedFile(containing: child.input)
    standardOutput = try CapturedFile()
    standardError = try CapturedFile()
    id = try spawn(child, files: [input, standardOutput, standardError])
    // A queue of its own is a thread of its own: children that run at once are waited for at once.
    DispatchQueue(label: "acct.tests.wait.\(id)").async { [id, ending] in
      var information = unsafe siginfo_t()
      // Leaves the zombie in place, so that the id stays taken until the lock is held.
      while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
      ending.status.withLock { status in
        var raw: Int32 = 0
        _ = unsafe waitpid(id, &raw, 0)
        status = raw
      }
      ending.reaped.leave()
    }
  }

  deinit { send(SIGKILL) }

  /// Sends a signal to the child's process group, unless the child has ended.
  package func send(_ signal: Int32) {
    ending.status.withLock { status in
      if status == nil { kill(-id, signal) }
    }
  }

  /// Lets a stopped child go on.
  ///
  /// A program in between, such as nsenter(1), stops itself when it sees that its own child is stopped, and can do so a
  /// moment after it was told to go on: so it is told for half a second.
  package func wake(times: Int = 10) {
    send(SIGCONT)
    guard times > 1 else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
      self?.wake(times: times - 1)
    }
  }

  /// The status, if the child has ended.
  package var exitStatus: Int32? {
    ending.status.withLock { $0 }.map { raw in
      let signal = raw & 0x7F
      return signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
    }
  }

  /// Whether the kernel wrote the child's memory away when a signal ended it, to a file or a program.
  package var hasDumpedCore: Bool { (ending.status.withLock { $0 } ?? 0) & 0x80 != 0 }

  /// Waits for the child's end and kills it if that takes longer than `limit`.
  package func ended(within limit: Duration = .seconds(60)) async -> Int32 {
    let watchdog = DispatchWorkItem { [weak self] in self?.send(SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds)), execute: watchdog)
    await withCheckedContinuation { continuation in ending.reaped.notify(queue: .global()) { continuation.resume() } }
    watchdog.cancel()
    return exitStatus ?? -1
  }

  /// Waits for the child's end as ``ended(within:)`` does, and returns what it left.
  package func output(within limit: Duration = .seconds(60)) async -> ChildProcess.Output {
    let status = await ended(within: limit)
    return ChildProcess.Output(
      status: status,
      standardOutput: standardOutput.contents(),
      standardError: standardError.contents()
    )
  }

  /// Sends SIGTERM to the child, and kills it if it does not end.
  package func stop() async {
    send(SIGTERM)
    // Wakes a child that a test froze.
    send(SIGCONT)
    _ = await ended(within: .seconds(5))
  }

  /// Waits until the child serves, by asking again and again rather than by a guess at its speed.
  ///
  /// - Throws: ``ProcessFailure/notReady(program:output:)`` when it ended, or took over 60 s.
  package func ready(when isReady: () -> Bool) async throws(ProcessFailure) {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while !isReady() {
      guard exitStatus == nil, clock.now < deadline, !Task.isCancelled else {
        let output = standardOutput.contents() + standardError.contents()
        throw .notReady(program: program, output: String(decoding: output, as: UTF8.self))
      }
      // Between two questions only; being woken early by a cancellation is what the guard is for.
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Waits until standard output holds a whole line, and returns that first line.
  package func firstLine() async throws(ProcessFailure) -> String {
    try await ready { standardOutput.contents().contains(UInt8(ascii: "\n")) }
    let line = standardOutput.contents().prefix { $0 != UInt8(ascii: "\n") }
    return String(decoding: line, as: UTF8.self)
  }
}

/// A child's end, shared with the thread that waits for it, which must not keep the child alive.
private final class Ending: Sendable {
  /// The status once the child is reaped, as waitpid(2) tells it.
  ///
  /// From then on its id may be another process's, so every signal is sent under this lock.
  let status = Mutex<Int32?>(nil)
  let reaped = DispatchGroup()

  init() { reaped.enter() }
}
