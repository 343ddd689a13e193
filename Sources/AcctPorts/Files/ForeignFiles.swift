package import AcctModel
package import Secrets

/// Files in which other programs keep credentials; acct reads them, and never writes one.
package struct ForeignFiles: Sendable {
  /// The places where a program looks for a file, in its own order, by its own environment variables.
  package var places: @Sendable (ForeignFile) -> [String]
  /// Reads a file of the user's own, up to a number of bytes.
  package var read: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents
  /// The names in a folder; none if there is no such folder.
  package var names: @Sendable (_ folder: String) -> [String]

  package init(
    places: @escaping @Sendable (ForeignFile) -> [String],
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> ForeignContents,
    names: @escaping @Sendable (_ folder: String) -> [String] = { _ in [] }
  ) {
    self.places = places
    self.read = read
    self.names = names
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
