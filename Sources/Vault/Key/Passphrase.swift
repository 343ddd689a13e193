package import Secrets
import Glibc
import PrivateFiles

/// A passphrase, and its source, for the error about a wrong one.
package struct Passphrase {
  package let secret: Secret
  /// The secret with the carriage return that ended its line in a file; a vault may have been made with it.
  var asWritten: Secret?
  /// The file that it is from.
  package var file: String?

  /// Such as "the passphrase in /run/pass".
  package var source: String { file.map { "the passphrase in \($0)" } ?? "the passphrase" }
  /// What it may be, the likelier one first.
  package var candidates: [Secret] { [secret] + [asWritten].compactMap(\.self) }
}

/// Why there is no passphrase, in words that follow a colon.
struct NoPassphrase: Error, Equatable {
  let reason: String
  /// The file that should have it.
  var file: String?
  /// `true` if a prompt was shown and not answered.
  var isCancelled = false
}

extension Passphrase {
  /// Reads a passphrase from a file, dropping one LF or CRLF at its end.
  ///
  /// - Returns: `nil` if there is no such file.
  /// - Throws: ``NoPassphrase``.
  static func read(_ path: String, _ rule: FileRule) throws(NoPassphrase) -> Passphrase? {
    let contents: Secret
    do {
      var bytes = try Descriptor.trustedBytes(path, rule, limit: 4096)
      contents = Secret(consuming: &bytes)
    } catch {
      if error == .notThere { return nil }
      throw NoPassphrase(reason: "\(path): \(error.reason)", file: path)
    }
    let (secret, asWritten) = contents.withoutLineEnd
    guard secret.count > 0 else { throw NoPassphrase(reason: "\(path): it is empty", file: path) }
    return Passphrase(secret: secret, asWritten: asWritten, file: path)
  }
}
