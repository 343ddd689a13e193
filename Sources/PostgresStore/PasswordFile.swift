import AcctModel
import AcctPorts
import Glibc
import PrivateFiles

/// The file with the password of a role.
enum PasswordFile {
  /// Reads a password, dropping one newline at its end.
  ///
  /// The file is the user's own, and no other user may read it.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)``.
  static func read(_ path: String) throws(SharedStoreFailure) -> Secret {
    do throws(FileError) {
      // A FIFO must not hold the process up; it is no regular file, and refused as such.
      let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
      var bytes = try file.confidentialBytes(limit: 4096)
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      if bytes.isEmpty || bytes.contains(0) { throw .distrusted(reason: "it contains no password") }
      return Secret(consuming: &bytes)
    } catch {
      throw .failed(reason: "\(printable(path)): \(error.reason)")
    }
  }
}
