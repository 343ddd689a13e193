package import AcctModel

/// Another program in the place of this process.
package struct Exec: Sendable {
  /// Becomes the program: it keeps the process's id, terminal, streams and environment, and gets
  /// one variable more. Returns only in tests.
  ///
  /// The program is found on `PATH` as a shell does; one with a slash in it is a path.
  package var become:
    @Sendable (_ command: [String], _ variable: (name: String, value: Secret))
      throws(ExecFailure) -> Void

  package init(
    become:
      @escaping @Sendable (_ command: [String], _ variable: (name: String, value: Secret))
      throws(ExecFailure) -> Void
  ) {
    self.become = become
  }
}

/// Why a program could not be run.
package enum ExecFailure: Error, Equatable, Sendable {
  /// There is none of that name.
  case notFound(program: String)
  /// It is there; the system's word on why it does not run.
  case notExecutable(program: String, reason: String)
}
