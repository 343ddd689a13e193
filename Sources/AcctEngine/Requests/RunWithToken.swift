import AcctModel
package import AcctPorts

/// Becomes a command that has an account's token in its environment.
package struct RunWithToken: Sendable {
  private let exec: PreparedExec

  /// Prepares for it; to be made before anything is opened, the keyring among it.
  package init(_ world: World) { exec = world.exec.prepare() }

  /// Makes sure that there is such a program, before a token is got for it.
  ///
  /// - Parameter program: Its name or path.
  /// - Throws: ``EngineError/exec(_:)``.
  package func find(_ program: String) throws(EngineError) {
    do { try exec.find(program) } catch { throw .exec(error) }
  }

  /// Replaces this process; returns only where nothing is really run.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - grant: Whose token.
  ///   - variable: The variable that is to hold it.
  /// - Throws: ``EngineError/exec(_:)``.
  package func run(_ command: [String], _ grant: AccessGrant, in variable: String) throws(EngineError) {
    do { try exec.become(command, (variable, grant.token.secret)) } catch { throw .exec(error) }
  }
}
