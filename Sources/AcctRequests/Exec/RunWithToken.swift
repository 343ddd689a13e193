import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import Release
import Secrets

/// Replaces the process by a command that has an account's token in its environment.
struct RunWithToken: Sendable {
  let exec: PreparedExec

  /// Prepares for the command; must be called before anything is opened, including the keyring.
  init(_ world: World) { exec = world.exec.prepare() }

  /// Checks that the program exists, before a token is obtained for it.
  ///
  /// - Parameter program: Its name or path.
  /// - Throws: ``ExecError/unusable(_:)``.
  func find(_ program: String) throws(EngineError) {
    do { try exec.find(program) } catch { throw .exec(.unusable(error)) }
  }

  /// Replaces this process; returns only in tests.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - token: The token, for the user.
  ///   - variable: The variable that is to hold it.
  /// - Throws: ``ExecError/unusable(_:)``.
  func run(_ command: [String], _ token: Released, in variable: String) throws(EngineError) {
    let value = try Secret.whole { () throws(OutputFlaw) in try OutputFormat.variable.written(token.openedToken) }
    do { try exec.become(command, (variable, value)) } catch { throw .exec(.unusable(error)) }
  }
}

/// A command can't be run with a token.
enum ExecError: Error {
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
      self = .code("commandNotFound", .commandNotFound).saying("\(program): no such command")
    case .unusable(.notExecutable(let program, let reason)):
      self = .code("commandNotExecutable", .commandNotExecutable).saying("\(program): \(reason)")
    case .memoryFolder(let failure):
      self = .code("noMemoryFolder", .failed)
        .saying("there is no place in memory for a file with a token: \(printable(failure.path)): \(failure.reason)")
        .hint("set XDG_RUNTIME_DIR to a folder of your own on a tmpfs, or mount one at /dev/shm")
    }
  }
}
