package import Secrets

/// The settings files of other programs, which acct changes when the user asks for it.
///
/// A link to such a file is followed, and stays. A file that another user owns or can change is not changed.
package struct SettingsFiles: Sendable {
  /// Reads a file, up to a number of bytes; one that does not exist has no contents.
  package var read: @Sendable (_ path: String, _ limit: Int) throws(SettingsFileFailure) -> SettingsFile
  /// Replaces a file atomically and durably, unless it has changed since it was read; it keeps its mode and its group.
  ///
  /// Missing folders are made for the user alone, as is a new file, unless it is a program. Without new contents the file
  /// is removed, and with it those of `folders` that are empty then, the last one first.
  package var replace:
    @Sendable (SettingsFile, Secret?, _ isProgram: Bool, _ folders: [String]) throws(SettingsFileFailure) -> Void
  /// Writes a copy for a program to change, in a folder in memory that no other user can read, and returns its path.
  ///
  /// The name may have one folder.
  package var copy: @Sendable (_ name: String, Secret) throws(SettingsFileFailure) -> String
  /// Reads such a copy.
  package var readCopy: @Sendable (_ name: String) throws(SettingsFileFailure) -> Secret
  /// Removes all copies.
  package var removeCopies: @Sendable () -> Void

  package init(
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(SettingsFileFailure) -> SettingsFile,
    replace:
      @escaping @Sendable (SettingsFile, Secret?, _ isProgram: Bool, _ folders: [String]) throws(SettingsFileFailure) ->
      Void,
    copy: @escaping @Sendable (_ name: String, Secret) throws(SettingsFileFailure) -> String,
    readCopy: @escaping @Sendable (_ name: String) throws(SettingsFileFailure) -> Secret,
    removeCopies: @escaping @Sendable () -> Void
  ) {
    self.read = read
    self.replace = replace
    self.copy = copy
    self.readCopy = readCopy
    self.removeCopies = removeCopies
  }

  /// A machine without any.
  package static let none = SettingsFiles(
    read: { path, _ in SettingsFile(path) },
    replace: { file, _, _, _ throws(SettingsFileFailure) in throw .failed(path: file.path, reason: "") },
    copy: { name, _ throws(SettingsFileFailure) in throw .failed(path: name, reason: "") },
    readCopy: { name throws(SettingsFileFailure) in throw .failed(path: name, reason: "") },
    removeCopies: {}
  )
}

/// A settings file, as it was read.
package struct SettingsFile: Sendable {
  package var path: String
  /// `nil` if there is no file.
  package var contents: Secret?
  /// The folders of its path that are missing, the outermost first.
  package var missingFolders: [String]
  /// Why it is not the user's to write; `nil` if it is.
  package var obstacle: Obstacle?

  package init(
    _ path: String,
    _ contents: Secret? = nil,
    missingFolders: [String] = [],
    obstacle: Obstacle? = nil
  ) {
    self.path = path
    self.contents = contents
    self.missingFolders = missingFolders
    self.obstacle = obstacle
  }

  /// Why a file that can be read and trusted is left as it is.
  package enum Obstacle: Equatable, Sendable {
    /// It belongs to root, and this user is another.
    case root
    /// It belongs to the user of this name, or of this number.
    case otherUser(String)
    /// The file, or its folder, is read-only.
    case readOnly
    /// Its first lines say that a program makes it anew.
    case generated
  }
}

/// Why a settings file could not be read or replaced; then it is as it was.
package enum SettingsFileFailure: Error, Equatable, Sendable {
  /// In words that follow the path and a colon.
  case failed(path: String, reason: String)
  /// Another user can change it, or owns it and lets no other read it, or it is no file with contents of its own.
  case distrusted(path: String, reason: String)
  /// It has changed since it was read.
  case changed(path: String)
}
