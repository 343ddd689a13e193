import AcctModel
import Secrets
import AcctPorts
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
      var line = try Descriptor.firstLine(of: path, limit: limit)
      return Secret(consuming: &line)
    } catch {
      let reason = "the password can't be read from \(printable(path)): \(error.reason)"
      throw Setback(.denied(reason: reason), .nothing)
    }
  }
}
