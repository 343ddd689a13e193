import AcctModel
package import AcctPorts

/// Becomes a command that has an account's token in its environment.
package struct RunWithToken: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// Replaces this process; returns only where nothing is really run.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - grant: Whose token.
  ///   - variable: The variable that is to hold it.
  /// - Throws: ``EngineError/exec(_:)``.
  package func callAsFunction(
    _ command: [String],
    _ grant: Grant,
    in variable: String
  ) throws(EngineError) {
    do { try world.exec.become(command, (variable, grant.token.secret)) } catch {
      throw .exec(error)
    }
  }
}
