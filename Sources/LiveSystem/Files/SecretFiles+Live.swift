import Secrets
package import AcctPorts
import Glibc
import PrivateFiles

extension SecretFiles {
  /// The user's files, by the paths that they give.
  package static func live() -> SecretFiles {
    SecretFiles(
      read: { path, limit throws(SecretFileFailure) in try secret(in: path, .secretInput, limit) },
      readCredential: { path, limit throws(SecretFileFailure) in try secret(in: path, .credential, limit) },
      readToken: { path, limit throws(SecretFileFailure) in try secret(in: path, .genuine, limit) },
      write: { path, secret, replacing throws(SecretFileFailure) in
        do throws(FileError) {
          let file = try NamedFile(path)
          try secret.withBytes { bytes throws(FileError) in try file.write(bytes, replacing: replacing) }
        } catch {
          throw error == .system(EEXIST)
            ? .exists(path: path) : .failed(path: path, reason: error.reason)
        }
      },
      exists: { path in
        var status = stat()
        return unsafe lstat(path, &status) == 0
      }
    )
  }
}

private func secret(in path: String, _ rule: FileRule, _ limit: Int) throws(SecretFileFailure) -> Secret {
  do throws(FileError) {
    var bytes = try Descriptor.trustedBytes(path, rule, limit: limit)
    return Secret(consuming: &bytes)
  } catch {
    throw SecretFileFailure(error, path)
  }
}

extension SecretFileFailure {
  /// Why a file could not be read.
  init(_ error: FileError, _ path: String) {
    self =
      switch error {
      case .exposed(let reason, let chmod): .exposed(path: path, reason: reason, chmod: chmod)
      case .system(ENOENT), .system(ENOTDIR), .system(ENAMETOOLONG): .missing(path: path)
      case .system, .distrusted: .failed(path: path, reason: error.reason)
      }
  }
}
