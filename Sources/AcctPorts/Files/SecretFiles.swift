package import Secrets

/// Files that the user names and that hold a secret: passphrases, exports.
///
/// No other user can have put a file that is read in its place: each folder and link on the way is the user's or root's.
package struct SecretFiles: Sendable {
  /// The role of a file, which decides who may read it.
  package enum Role: Sendable {
    /// One that a command names, and reads once: no other user may read it, but a group may where it is root's, as
    /// Kubernetes hands out secrets. A FIFO is waited for, until a program has written to it.
    case input
    /// One that the environment names, for every command: as ``input``, and no FIFO, which would hold each of them up.
    case setting
    /// The user's own or root's, which its group may read, too: as systemd hands out credentials.
    case credential
    /// The user's own or root's, which others may read.
    case token
  }

  /// Reads a file that no other user than root may write, up to a number of bytes.
  package var read: @Sendable (_ path: String, _ limit: Int, Role) throws(SecretFileFailure) -> Secret
  /// Writes a file for the user alone (0600), atomically and durably; it replaces an existing file only if that is
  /// requested.
  package var write: @Sendable (_ path: String, Secret, _ replacing: Bool) throws(SecretFileFailure) -> Void
  /// Returns `true` if a file, or anything else, has this name.
  package var exists: @Sendable (_ path: String) -> Bool
  /// Returns `true` if the path leads to a file with contents of its own: not to a FIFO.
  package var isRegular: @Sendable (_ path: String) -> Bool

  package init(
    read: @escaping @Sendable (_ path: String, _ limit: Int, Role) throws(SecretFileFailure) -> Secret,
    write:
      @escaping @Sendable (_ path: String, Secret, _ replacing: Bool) throws(SecretFileFailure) ->
      Void,
    exists: @escaping @Sendable (_ path: String) -> Bool,
    isRegular: @escaping @Sendable (_ path: String) -> Bool
  ) {
    self.read = read
    self.write = write
    self.exists = exists
    self.isRegular = isRegular
  }
}

/// Why such a file could not be read or written.
package enum SecretFileFailure: Error, Equatable, Sendable {
  /// In words that follow the path and a colon.
  case failed(path: String, reason: String)
  /// There is none, or its name is too long: the given name may be a secret itself, and must not be shown.
  case missing(path: String)
  /// The mode of the file, or of a folder above it, lets other users in; `chmod` is the line that mends it, `nil` where
  /// the user can't.
  case exposed(path: String, reason: String, chmod: String?)
  /// It exists, and replacing it was not requested.
  case exists(path: String)
}

/// Files of other programs: those in which they keep credentials are only read, their settings are changed on request.
package struct ForeignFiles: Sendable {
  /// The user's own folder, in which other programs keep their files.
  package var home: @Sendable () -> String
  /// Reads a file of the user's own, up to a number of bytes.
  package var read: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents
  /// The names in a folder; none if there is no such folder.
  package var names: @Sendable (_ folder: String) -> [String]
  /// The settings of other programs.
  package var settings: SettingsFiles

  package init(
    home: @escaping @Sendable () -> String,
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents,
    names: @escaping @Sendable (_ folder: String) -> [String] = { _ in [] },
    settings: SettingsFiles = .none
  ) {
    self.home = home
    self.read = read
    self.names = names
    self.settings = settings
  }

  /// A machine without any.
  package static let none = ForeignFiles(
    home: { "/" },
    read: { path, _ throws(SecretFileFailure) in throw .missing(path: path) }
  )
}

/// The contents of a file of another program.
package struct ForeignContents: Sendable {
  package var secret: Secret
  /// `true` if other users can read the file.
  package var isExposed: Bool

  package init(_ secret: Secret, isExposed: Bool) {
    self.secret = secret
    self.isExposed = isExposed
  }
}
