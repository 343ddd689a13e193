package import Secrets

/// Files that the user names and that hold a secret: passphrases, exports.
///
/// No other user can have put a file that is read in its place: each folder and link on the way is the user's or root's.
package struct SecretFiles: Sendable {
  /// Reads the user's own file, which no other user may read or write, up to a number of bytes; or root's, which a group
  /// may read: as Kubernetes hands out secrets.
  ///
  /// A FIFO is waited for, until a program has written to it.
  package var read: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret
  /// Reads the user's own file or root's, which its group may read, too: as systemd hands out credentials.
  package var readCredential: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret
  /// Reads the user's own file or root's, which no other user may write.
  package var readToken: @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret
  /// Writes a file for the user alone (0600), atomically and durably; it replaces an existing file only if that is
  /// requested.
  package var write: @Sendable (_ path: String, Secret, _ replacing: Bool) throws(SecretFileFailure) -> Void
  /// Returns `true` if a file, or anything else, has this name.
  package var exists: @Sendable (_ path: String) -> Bool

  package init(
    read: @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret,
    readCredential:
      @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret,
    readToken: @escaping @Sendable (_ path: String, _ limit: Int) throws(SecretFileFailure) -> Secret,
    write:
      @escaping @Sendable (_ path: String, Secret, _ replacing: Bool) throws(SecretFileFailure) ->
      Void,
    exists: @escaping @Sendable (_ path: String) -> Bool
  ) {
    self.read = read
    self.readCredential = readCredential
    self.readToken = readToken
    self.write = write
    self.exists = exists
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
