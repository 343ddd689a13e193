/// A folder of acct's, by what lies in it.
package enum FileFolder: Hashable, Sendable, CaseIterable {
  /// The locks that keep renewals apart.
  case locks
  /// Accounts, the vault, a shared keyring's copies.
  case data
}

/// The file system that a folder is on.
package struct FileSystem: Equatable, Sendable {
  /// The folder, for people.
  package var path: String
  /// What the system calls it, such as `nfs` or `fuse.sshfs`.
  package var name: String
  package var reach: Reach

  package init(path: String, name: String, reach: Reach) {
    self.path = path
    self.name = name
    self.reach = reach
  }

  /// Whose locks count there.
  package enum Reach: Sendable {
    /// It belongs to this machine: a lock keeps all of its processes apart.
    case machine
    /// Other machines may use the same folder, and the file system has locks for all of them.
    case network
    /// A program answers for it, such as sshfs, and may grant two machines one lock.
    case program
  }
}
