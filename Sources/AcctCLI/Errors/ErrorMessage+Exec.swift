import AcctPorts

extension ErrorMessage {
  /// A program could not be run; the statuses are those of env(1) and the shells.
  init(_ failure: ExecFailure) {
    switch failure {
    case .notFound(let program): self.init("commandNotFound", .commandNotFound, "\(program): no such command")
    case .notExecutable(let program, let reason):
      self.init("commandNotExecutable", .commandNotExecutable, "\(program): \(reason)")
    }
  }
}
