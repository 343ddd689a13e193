import Glibc

/// Standard input that a test writes to while the child runs, and that ends when the test says so.
///
/// It is a named pipe. The test holds both of its ends: a child that opens it never waits, and when
/// the test is gone, however it went, the child meets the end of its input.
package final class OpenInput: Sendable {
  private let folder: TemporaryFolder
  /// Where another process opens it.
  let path: String
  private let descriptor: Int32

  package init() throws(ProcessFailure) {
    folder = try TemporaryFolder()
    path = "\(folder.path)/input"
    guard unsafe mkfifo(path, 0o600) == 0 else { throw .system(call: "mkfifo", code: errno) }
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open \(path)", code: errno) }
  }

  deinit { close(descriptor) }

  /// The same program, reading from here.
  package func feeding(_ child: ChildProcess) -> ChildProcess {
    var fed = child
    fed.program = "sh"
    fed.arguments = ["-c", #"exec "$@" <"$0""#, path, child.program] + child.arguments
    return fed
  }

  /// Types a line.
  package func type(_ line: String) throws(ProcessFailure) {
    let bytes = Array("\(line)\n".utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else { throw .system(call: "write", code: errno) }
  }
}
