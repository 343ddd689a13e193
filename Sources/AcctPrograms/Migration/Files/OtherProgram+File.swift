package import AcctModel
package import Secrets

extension OtherProgram {
  /// The program that seems to have written a file that is not JSON; `nil` if none is known.
  package init?(writing contents: Secret) {
    if GitCredentialFile.isLikely(contents) {
      self = .git
    } else if CargoCredentialsFile.isLikely(contents) {
      self = .cargo
    } else if NetrcFile.isLikely(contents) {
      self = .netrc
    } else {
      return nil
    }
  }
}
