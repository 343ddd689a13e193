package import AcctEngine
import AcctModel
import Secrets

extension OtherProgram {
  /// The failure for a file that another program has written, where acct's own JSON is read: it names `acct add --from`.
  ///
  /// - Parameters:
  ///   - contents: What was read.
  ///   - path: The file.
  /// - Returns: `nil` if no program is known to have written it.
  package static func failure(for contents: ImportFile.ForeignText, at path: String) -> EngineError? {
    switch contents {
    case .json(let json): DockerConfigFile.isLikely(json) ? .migration(.otherFile(.docker, path: path)) : nil
    case .other(let text): OtherProgram(writing: text).map { .migration(.otherFile($0, path: path)) }
    }
  }

  /// The program that seems to have written a file that is not JSON; `nil` if none is known.
  private init?(writing contents: Secret) {
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
