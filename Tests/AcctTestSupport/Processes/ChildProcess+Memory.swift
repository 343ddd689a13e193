import Glibc

extension ChildProcess {
  /// The same, with no right to lock memory, and so with none that other processes can't read
  /// (memfd_secret(2)): its secrets are on the heap then, where a test can look for them.
  package func lockingNoMemory() -> ChildProcess {
    // Root may lock memory beyond any limit.
    let root = geteuid() == 0 ? ["setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"] : []
    var command = self
    command.program = "prlimit"
    command.arguments = ["--memlock=0"] + root + [program] + arguments
    return command
  }
}
