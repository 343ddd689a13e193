import AcctModel
import AcctPorts
import Glibc
import PrivateFiles

/// The file with a user's password: its first line.
enum PasswordFile {
  /// The most bytes of the file.
  private static let limit = 4096

  /// Reads the password; the file is the user's own, and no one else's to read.
  ///
  /// - Throws: A ``Setback`` that ends the call.
  static func read(_ path: String?) throws(Setback) -> Secret {
    guard let path else { throw Setback(.denied(reason: "a user is set, but no file with the password"), .nothing) }
    do throws(FileError) {
      // A FIFO must not hold the process up; it is no regular file, and refused as such.
      var bytes = try Descriptor.open(path, O_RDONLY | O_NONBLOCK).confidentialBytes(limit: limit)
      defer { wipe(&bytes) }
      let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard !line.isEmpty else { throw .distrusted(reason: "its first line is empty") }
      return Secret(line)
    } catch {
      let reason = "the password can't be read from \(printable(path)): \(error.reason)"
      throw Setback(.denied(reason: reason), .nothing)
    }
  }
}
