package import AcctModel

/// Another program in the place of this process.
package struct Exec: Sendable {
  /// Notes which open files the caller has passed on, before a command opens any of its own.
  package var prepare: @Sendable () -> PreparedExec

  package init(prepare: @escaping @Sendable () -> PreparedExec) { self.prepare = prepare }
}

/// The way to become another program, with what the caller of this one has set up.
package struct PreparedExec: Sendable {
  /// Makes sure that the program is there and may be run, before anything is done for it.
  package let find: @Sendable (_ program: String) throws(ExecFailure) -> Void
  /// Becomes the program, and returns only in tests.
  ///
  /// It keeps the process's id, terminal, streams, environment and what the caller has opened, and
  /// gets one variable more. It is found on `PATH` as a shell does; one with a slash in it is a path.
  package let become:
    @Sendable (_ command: [String], _ variable: (name: String, value: Secret))
      throws(ExecFailure) -> Void

  package init(
    find: @escaping @Sendable (_ program: String) throws(ExecFailure) -> Void,
    become:
      @escaping @Sendable (_ command: [String], _ variable: (name: String, value: Secret))
      throws(ExecFailure) -> Void
  ) {
    self.find = find
    self.become = become
  }
}

/// Why a program could not be run.
package enum ExecFailure: Error, Equatable, Sendable {
  /// There is none of that name.
  case notFound(program: String)
  /// It exists; the system's reason why it does not run.
  case notExecutable(program: String, reason: String)
}
