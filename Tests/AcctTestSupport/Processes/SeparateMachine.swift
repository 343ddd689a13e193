import Glibc

/// What acct takes for a machine of its own: other processes, and another boot.
///
/// It has namespaces for processes, mounts and its name, in which `boot_id` is a made-up one (namespaces(7)). A process
/// on one of these machines can't be seen from another, as on real ones; files and loopback are shared. It ends
/// with the test, however that ends: its first process reads from there.
package final class SeparateMachine: Sendable {
  private let folder: TemporaryFolder
  private let input: OpenInput
  private let first: RunningProcess
  /// The machine's first process, by its id outside.
  private let target: String
  /// Its name, which no other machine has.
  package let hostName = "unlikely-machine-\(UInt32.random(in: .min ... .max)).of.this.example"

  /// Makes a machine, and returns when programs can run on it.
  ///
  /// - Throws: ``ProcessFailure`` where the user may not make namespaces.
  package init() async throws(ProcessFailure) {
    folder = try TemporaryFolder()
    input = try OpenInput()
    let boot = try folder.file("boot_id", containing: "\(Self.identifier())\n")
    let machine = ChildProcess(
      "unshare",
      Self.mapped + ["--mount", "--pid", "--uts", "--fork", "--kill-child", "sh", "-euc", Self.script, boot, hostName]
    )
    first = try RunningProcess(input.feeding(machine))
    target = try await first.firstLine()
  }

  /// Without root's rights it is in a user namespace, in which the user has them.
  private static let mapped = geteuid() == 0 ? [] : ["--map-root-user"]

  /// The id is read before the machine's own /proc hides it.
  private static let script = #"""
    read -r id rest </proc/self/stat
    mount -t proc proc /proc
    mount --bind "$0" /proc/sys/kernel/random/boot_id
    hostname "$1"
    echo "$id"
    exec cat
    """#

  private static func identifier() -> String {
    let groups = [8, 4, 4, 4, 12].map { count in
      String((0..<count).map { _ in Character(String(Int.random(in: 0..<16), radix: 16)) })
    }
    return groups.joined(separator: "-")
  }

  /// The same command, on this machine.
  package func running(_ command: ChildProcess) -> ChildProcess {
    var moved = command
    moved.program = "nsenter"
    let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
    moved.arguments =
      ["--target", target] + user + ["--pid", "--mount", "--uts", "--", command.program]
      + command.arguments
    return moved
  }

  /// Ends every process on it at once, as a power cut does.
  package func crash() async {
    first.send(SIGKILL)
    _ = await first.ended()
  }
}
