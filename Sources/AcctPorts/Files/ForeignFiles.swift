package import AcctModel
package import Secrets

/// Files of other programs: those in which they keep credentials are only read, their settings are changed on request.
package struct ForeignFiles: Sendable {
  /// The places where a program looks for a file, in its own order, by its own environment variables.
  package var places: @Sendable (ForeignFile) -> [String]
  /// Reads a file of the user's own, up to a number of bytes.
  package var read: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents
  /// The names in a folder; none if there is no such folder.
  package var names: @Sendable (_ folder: String) -> [String]
  /// The settings of other programs.
  package var settings: SettingsFiles

  package init(
    places: @escaping @Sendable (ForeignFile) -> [String],
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents,
    names: @escaping @Sendable (_ folder: String) -> [String] = { _ in [] },
    settings: SettingsFiles = .none
  ) {
    self.places = places
    self.read = read
    self.names = names
    self.settings = settings
  }

  /// A machine without any.
  package static let none = ForeignFiles(
    places: { _ in [] },
    read: { path, _ throws(SecretFileFailure) in throw .missing(path: path) }
  )
}

/// A file of another program.
package enum ForeignFile: Hashable, Sendable {
  /// Credentials, or the list of those that the program keeps elsewhere; for oidc-agent, a folder.
  case credentials(OtherProgram)
  /// The settings that name cargo's registries.
  case cargoSettings
  /// The user's own settings of a program.
  case settings(SetupProgram)
  /// Files that a program of this kind reads before those of its settings: podman's logins, AWS's and Terraform's keys.
  case credentialsBefore(SetupProgram)
  /// A program of this name in the user's own folder of programs.
  case userProgram(String)
  /// A program of this name in Terraform's folder of plugins.
  case terraformPlugin(String)
}

/// The contents of such a file.
package struct ForeignContents: Sendable {
  package var secret: Secret
  /// `true` if other users can read the file.
  package var isExposed: Bool

  package init(_ secret: Secret, isExposed: Bool) {
    self.secret = secret
    self.isExposed = isExposed
  }
}
