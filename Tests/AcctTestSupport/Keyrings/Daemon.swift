package import Glibc
import Synchronization

/// A process that a test has started, can freeze, and ends by its pid.
package final class Daemon: Sendable {
  package let pid: pid_t
  /// The reading end of its standard output.
  private let output: Int32
  private let status = Mutex<Int32?>(nil)

  /// Starts a program, found in `PATH`.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - environment: all of its environment but `PATH`.
  ///   - input: a file to read from.
  /// - Throws: ``HarnessFailure`` if there is no such program.
  package init(
    _ arguments: [String],
    environment: [String: String],
    input: String = "/dev/null"
  ) throws(HarnessFailure) {
    var ends: [Int32] = [0, 0]
    // A pipe could not be made uninheritable in the same breath, and a program that another test
    // starts at that moment would keep it open.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw HarnessFailure("socketpair: errno \(errno)") }
    defer { close(ends[1]) }
    output = ends[0]

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let variables = environment.merging(["PATH": path]) { given, _ in given }
    var pid: pid_t = 0
    let result = unsafe Self.withStrings(arguments) { arguments in
      unsafe Self.withStrings(variables.map { "\($0)=\($1)" }) { variables in
        guard let program = unsafe arguments[0] else { return EINVAL }
        return unsafe posix_spawnp(&pid, program, &actions, nil, arguments, variables)
      }
    }
    self.pid = pid
    guard result == 0 else {
      status.withLock { $0 = -1 }
      throw HarnessFailure("cannot start \(arguments): errno \(result)")
    }
  }

  deinit {
    stop()
    close(output)
  }

  /// Runs a program to its end and returns what it wrote.
  ///
  /// - Throws: ``HarnessFailure`` if it did not succeed.
  @discardableResult
  package static func run(
    _ arguments: [String],
    environment: [String: String],
    input: String = "/dev/null"
  ) throws(HarnessFailure) -> String {
    let program = try Daemon(arguments, environment: environment, input: input)
    let text = program.text(upTo: nil)
    let status = program.end(byForce: false)
    guard status == 0 else { throw HarnessFailure("\(arguments): status \(status), \(text)") }
    return text
  }

  /// Waits for the first line that it writes.
  package func firstLine() -> String { text(upTo: UInt8(ascii: "\n")) }

  /// Stops the process where it is; it keeps its sockets and answers nothing.
  package func freeze() {
    kill(pid, SIGSTOP)
    // A signal that was sent has not stopped it yet.
    var status: Int32 = 0
    unsafe waitpid(pid, &status, WUNTRACED)
  }

  /// Lets a frozen process go on.
  package func thaw() { kill(pid, SIGCONT) }

  /// Ends it, frozen or not, and waits for that.
  package func stop() { _ = end(byForce: true) }

  /// Whether it has ended, by itself or because it was stopped.
  package var hasEnded: Bool {
    status.withLock { known in
      guard known == nil else { return true }
      var status: Int32 = 0
      // Freezing it may have noticed its end: then no process is left to wait for.
      if unsafe waitpid(pid, &status, WNOHANG) != 0 { known = status }
      return known != nil
    }
  }

  /// Waits for its end, once: a pid that was waited for may be another's already.
  private func end(byForce: Bool) -> Int32 {
    status.withLock { known in
      if let known { return known }
      if byForce { kill(pid, SIGKILL) }
      var status: Int32 = 0
      while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
      known = status
      return status
    }
  }

  private func text(upTo end: UInt8?) -> String {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(output, &byte, 1) == 1, byte != end { text.append(byte) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Lends strings as C wants them: an array of pointers that ends with a null.
  private static func withStrings(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32) -> Int32 {
    let copies = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies)
  }
}
