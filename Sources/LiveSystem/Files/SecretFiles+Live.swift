import Secrets
package import AcctPorts
import Glibc
import PrivateFiles

extension SecretFiles {
  /// The user's files, by the paths that they give.
  package static func live() -> SecretFiles {
    SecretFiles(
      read: { path, limit, role throws(SecretFileFailure) in
        let rule: FileRule =
          switch role {
          case .input: .secretInput
          case .setting: .secret
          case .credential: .credential
          case .token: .genuine
          }
        do throws(FileError) {
          var bytes = try Descriptor.trustedBytes(path, rule, limit: limit)
          return Secret(consuming: &bytes)
        } catch {
          throw SecretFileFailure(error, path)
        }
      },
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
      },
      isRegular: { path in
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      }
    )
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
