import Glibc
import StrictJSON
import Synchronization

/// A Python interpreter that starts this process's servers by forking (`Tests/servers.py`).
///
/// Each server is a process of its own, but the interpreter and its modules, a sixth of a second of a processor,
/// are loaded once. It ends with this process, whose end closes its standard input.
final class ServerStarter: Sendable {
  /// The one of this process, started when it is first needed.
  static let shared = Result { try ServerStarter() }

  private let process: RunningProcess
  private let input: OpenInput
  private let typing = Mutex(())

  private init() throws {
    input = try OpenInput()
    var environment = ChildProcess.plainEnvironment
    // Leaves no compiled files in the source tree.
    environment["PYTHONPYCACHEPREFIX"] = Product.source(".build/pycache")
    let program = ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Tests/servers.py")],
      environment: environment
    )
    process = try RunningProcess(input.feeding(program))
  }

  /// Has a server started.
  ///
  /// - Parameters:
  ///   - script: The path of its program.
  ///   - arguments: What it is told.
  ///   - input: Its standard input, with which it ends.
  ///   - output: Takes all that it writes.
  /// - Throws: ``ProcessFailure`` if the line cannot be written.
  func start(_ script: String, _ arguments: [String], input: OpenInput, output: CapturedFile) throws(ProcessFailure) {
    let request: JSON = [
      "script": .string(script), "arguments": .array(arguments.map { .string($0) }),
      "input": .string(input.path),
      "output": .string("/proc/\(getpid())/fd/\(output.descriptor)"),
    ]
    let line = String(decoding: request.serialized(), as: UTF8.self)
    // A pipe takes long lines in parts, and those of two servers would be mixed.
    try typing.withLock { _ throws(ProcessFailure) in try self.input.type(line) }
  }

  /// Waits until a server is ready.
  ///
  /// - Throws: ``ProcessFailure`` with what the starter has written if that has ended, or after a minute.
  func ready(when isReady: () -> Bool) async throws(ProcessFailure) { try await process.ready(when: isReady) }
}
