import AcctTestSupport
import Glibc

extension ChildProcess {
  /// The same command under strace(1).
  ///
  /// acct lets only root look into its memory: other users run in a user namespace in which they
  /// have root's rights and are still themselves, to the bus as well.
  func traced(_ options: String...) -> ChildProcess { withRights(["strace", "-qq"] + options) }

  /// The same command, as the argument of a tool that must see into its memory.
  func withRights(_ tool: [String]) -> ChildProcess {
    let asRoot = geteuid() == 0 ? [] : ["unshare", "--map-current-user", "--keep-caps"]
    return run(by: asRoot + tool)
  }

  /// The same command, as the last arguments of another; itself if there is none.
  func run(by runner: [String]) -> ChildProcess {
    let line = runner + [program] + arguments
    var run = self
    run.program = line[0]
    run.arguments = Array(line.dropFirst())
    return run
  }
}
