import AcctModel
import AcctPorts
import Release
import Secrets
import AcctEngine

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
    let value = try Secret.whole { () throws(OutputFlaw) in try OutputFormat.variable.written(token.tokenAlone) }
    do { try exec.become(command, (variable, value)) } catch { throw .exec(.unusable(error)) }
  }
}
