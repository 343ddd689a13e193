import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A renewal that is killed or stopped at one point of its talk with the authorization server.
struct StoppedRenewal {
  let process: RunningProcess
  /// Keeps the report.
  private let folder: TemporaryFolder

  /// Where it is struck; `Tests/Torture/faults.c` says what each is.
  enum Point: String {
    /// Killed or stopped before it is connected for the request that spends the refresh token.
    case killedBeforeSending = "before"
    case stoppedBeforeSending = "stop"
    /// Stopped when the last file is in its place before that connection: that of the lock's copy, or a later one.
    case stoppedBeforeConnecting = "stopped-file"
    /// Stopped when it has read the answer to that.
    case stoppedAfterAnswer = "stopped"

    var call: String {
      switch self {
      case .killedBeforeSending, .stoppedBeforeSending: "inet-connect"
      case .stoppedBeforeConnecting: "rename"
      case .stoppedAfterAnswer: "inet-receive"
      }
    }

    var fault: String { self == .stoppedBeforeConnecting ? "stopped" : rawValue }
  }

  /// Starts the renewal, and returns when it is killed or stopped.
  ///
  /// - Parameters:
  ///   - point: Where it is to be struck.
  ///   - command: What renews.
  ///   - server: Takes no request twice over one connection, so that each call of a kind is another request's.
  ///   - number: Which call of its kind it is: of those to the server, which request; of those of files, which of all.
  /// - Throws: What starting it throws, and if it ends instead of being stopped.
  init(at point: Point, of command: ChildProcess, _ server: StrictServer, number: Int) async throws {
    folder = try TemporaryFolder()
    let report = try folder.file("report", containing: "")
    let strike = ["FAULTS_AT": "\(point.call):\(number)", "FAULTS_DO": point.fault]
    process = try RunningProcess(command.preloaded(with: strike, server, report))
    switch point {
    case .killedBeforeSending: try #require(await process.ended() == 128 + SIGKILL)
    case .stoppedBeforeSending, .stoppedBeforeConnecting, .stoppedAfterAnswer:
      let id = process.id
      try await process.ready { isStopped(id) }
    }
  }

  /// Which file's, among the files that an undisturbed renewal puts into their places, is the last one before the
  /// connection that spends the refresh token.
  static func fileBeforeConnecting(in command: ChildProcess, _ server: StrictServer) async throws -> Int {
    let folder = try TemporaryFolder()
    let report = try folder.file("report", containing: "")
    let output = try await command.preloaded(with: [:], server, report).run()
    try #require(output.status == 0, "\(output.errorText)")
    let calls = try await ChildProcess("cat", [report]).run().text.split(separator: "\n")
    let connecting = try #require(calls.lastIndex { $0.hasPrefix("inet-connect") })
    let files = calls[..<connecting].count { $0.hasPrefix("rename") }
    try #require(files > 0)
    return files
  }

  /// Wakes it, and returns what it then does.
  func wake() async -> ChildProcess.Output {
    process.wake()
    return await process.output()
  }
}

extension ChildProcess {
  /// The same command, whose calls to the authorization server are counted, and one of which is struck.
  fileprivate func preloaded(
    with strike: [String: String],
    _ server: StrictServer,
    _ report: String
  ) -> ChildProcess {
    let port = server.issuer.split(separator: ":").last.map(String.init) ?? ""
    let library = Product.executable("libFaults.so")
    return presetting(
      strike.merging(["FAULTS_PORT": port, "FAULTS_REPORT": report, "LD_PRELOAD": library]) { $1 }
    )
  }
}

/// Whether a process is stopped: the third field of its `stat`, behind its name (proc(5)).
private func isStopped(_ id: Int32) -> Bool {
  let descriptor = unsafe open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = unsafe read(descriptor, &buffer, buffer.count)
  let fields = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: ")")).last
  return fields?.dropFirst().first == UInt8(ascii: "T")
}
