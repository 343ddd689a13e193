package import Secrets

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
