import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

/// A command can't be run with a token.
enum ExecError: Error, Equatable, Sendable {
  case unusable(ExecFailure)
  /// There is no place for a file with a token that the command reads.
  case memoryFolder(MemoryFolderFailure)
}

extension EngineError {
  /// The failure of a use case.
  static func exec(_ error: ExecError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

extension ErrorMessage {
  /// The statuses are those of env(1) and the shells.
  fileprivate init(_ error: ExecError) {
    switch error {
    case .unusable(.notFound(let program)):
      self.init("commandNotFound", .commandNotFound, "\(program): no such command")
    case .unusable(.notExecutable(let program, let reason)):
      self.init("commandNotExecutable", .commandNotExecutable, "\(program): \(reason)")
    case .memoryFolder(let failure):
      self.init(
        "noMemoryFolder",
        .failed,
        "there is no place in memory for a file with a token: \(printable(failure.path)): \(failure.reason)",
        hint: "set XDG_RUNTIME_DIR to a folder of your own on a tmpfs, or mount one at /dev/shm"
      )
    }
  }
}
