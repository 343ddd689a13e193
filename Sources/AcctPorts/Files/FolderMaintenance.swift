package import AcctModel

/// The state of acct's folders themselves, for checking and repairing them.
package struct FolderMaintenance: Sendable {
  /// Everything that lies in acct's folders, and the folders, in no order; trusts nothing it sees.
  package var survey: @Sendable () throws(FilesFailure) -> [SurveyedFile]
  /// Removes the permissions of the group and others on an own file or folder.
  package var close: @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  /// Removes a file, if it is still the one that was surveyed.
  package var discard: @Sendable (SurveyedFile) throws(FilesFailure) -> Void

  package init(
    survey: @escaping @Sendable () throws(FilesFailure) -> [SurveyedFile],
    close: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void,
    discard: @escaping @Sendable (SurveyedFile) throws(FilesFailure) -> Void
  ) {
    self.survey = survey
    self.close = close
    self.discard = discard
  }
}

/// One file or folder as it lies there; a link is itself.
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
