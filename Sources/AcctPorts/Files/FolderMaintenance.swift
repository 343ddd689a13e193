package import AcctModel

/// The state of acct's folders themselves, for checking and repairing them.
package struct FolderMaintenance: Sendable {
  /// Lists everything in acct's folders, and the folders, in no order; it trusts nothing that it finds.
  package var survey: @Sendable () throws(FilesFailure) -> [SurveyedFile]
  /// Removes the permissions of the group and others on an own file or folder.
  package var close: @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  /// Removes a file, if it is still the one that was surveyed.
  package var discard: @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  /// Deletes the folders in memory that dead processes have left, with the secrets in them, and returns their number.
  package var sweep: @Sendable () -> Int

  /// The paths of the folders that have all the others, which may be missing.
  package var roots: [String]

  /// Returns why nothing can be written in a folder, or in the nearest one above it where it is missing, as far as its
  /// file system is the reason, and that file system; `nil` if it is none.
  package var obstacle: @Sendable (_ folder: String) -> (FolderObstacle, device: UInt)?

  package init(
    survey: @escaping @Sendable () throws(FilesFailure) -> [SurveyedFile],
    close: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void,
    discard: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void,
    sweep: @escaping @Sendable () -> Int,
    roots: [String] = [],
    obstacle: @escaping @Sendable (_ folder: String) -> (FolderObstacle, device: UInt)? = { _ in nil }
  ) {
    self.survey = survey
    self.close = close
    self.discard = discard
    self.sweep = sweep
    self.roots = roots
    self.obstacle = obstacle
  }
}

/// Why nothing can be written in a folder.
package enum FolderObstacle: Hashable, Sendable {
  /// Its mode does not let its owner write.
  case mode
  /// Its file system is mounted read-only.
  case readOnly
  /// Less than a megabyte is left, or no file more.
  case full
}

/// One file or folder as it was found; a link is not followed.
package struct SurveyedFile: Hashable, Sendable {
  package var path: String
  package var role: Role
  package var kind: Kind
  /// The permission bits.
  package var mode: UInt32
  package var isOwn: Bool
  package var modifiedAt: Timestamp

  package init(path: String, role: Role, kind: Kind, mode: UInt32, isOwn: Bool, modifiedAt: Timestamp) {
    self.path = path
    self.role = role
    self.kind = kind
    self.mode = mode
    self.isOwn = isOwn
    self.modifiedAt = modifiedAt
  }

  package enum Kind: Sendable { case regular, folder, link, other }

  /// Its purpose.
  package enum Role: Hashable, Sendable {
    /// A file while it is being written, or the rest of a process that was killed meanwhile.
    case temporary
    /// A nonce, or a lookup of a DID: valid for minutes.
    case hint
    /// The file of a lock, held or left behind.
    case lock(Lock)
    case other
  }
}

/// A folder of acct's, by its contents.
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
  /// The system's name for it, such as `nfs` or `fuse.sshfs`.
  package var name: String
  package var reach: Reach

  package init(path: String, name: String, reach: Reach) {
    self.path = path
    self.name = name
    self.reach = reach
  }

  /// The set of processes that its locks keep apart.
  package enum Reach: Sendable {
    /// It belongs to this machine: a lock keeps all of its processes apart.
    case machine
    /// Other machines may use the same folder, and the file system has locks for all of them.
    case network
    /// A program implements it, such as sshfs, and may grant two machines one lock.
    case program
  }
}
