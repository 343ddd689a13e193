import Secrets
package import AcctPorts
import Glibc
import PrivateFiles

extension SecretFiles {
  /// The user's files, by the paths that they give.
  package static func live() -> SecretFiles {
    SecretFiles(
      read: { path, limit throws(SecretFileFailure) in
        do throws(FileError) {
          // A FIFO must not hold the process up; it is no regular file, and refused as such.
          let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
          var bytes = try file.confidentialBytes(limit: limit)
          return Secret(consuming: &bytes)
        } catch {
          throw error.reading(path)
        }
      },
      readCredential: { path, limit throws(SecretFileFailure) in
        do throws(FileError) {
          let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
          var bytes = try file.credentialBytes(limit: limit)
          return Secret(consuming: &bytes)
        } catch {
          throw error.reading(path)
        }
      },
      readToken: { path, limit throws(SecretFileFailure) in
        do throws(FileError) {
          let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
          var bytes = try file.tokenBytes(limit: limit)
          return Secret(consuming: &bytes)
        } catch {
          throw error.reading(path)
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
      }
    )
  }
}

extension FileError {
  /// Why a secret could not be read from a file.
  fileprivate func reading(_ path: String) -> SecretFileFailure {
    if self == .exposed { return .exposed(path: path) }
    let isMissing = [ENOENT, ENOTDIR, ENAMETOOLONG].contains { self == .system($0) }
    return isMissing ? .missing(path: path) : .failed(path: path, reason: reason)
  }
}
