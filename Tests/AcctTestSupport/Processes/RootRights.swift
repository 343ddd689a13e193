import Glibc
import Testing

extension ChildProcess {
  /// The command line, for other commands to follow, that gives them root's rights over this user's
  /// files, and lets them become another user.
  ///
  /// That is root itself, sudo(8) without a password, or a user namespace with subordinate users
  /// (newuidmap(1)). Where there is none of them the test is cancelled, and says so.
  package static func rootRights() async throws -> [String] {
    if geteuid() == 0 { return ["env"] }
    for runner in [["sudo", "-n"], ["unshare", "--map-root-user", "--map-auto"]] {
      let trial = ChildProcess("env", runner + ["setpriv", "--reuid=65534", "true"])
      if try await trial.run().status == 0 { return runner }
    }
    try Test.cancel("needs root, sudo without a password, or subordinate users")
  }
}
