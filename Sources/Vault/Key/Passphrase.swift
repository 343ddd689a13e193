import Secrets
import Glibc
import PrivateFiles

/// A passphrase, and its source, for the error about a wrong one.
struct Passphrase {
  let secret: Secret
  /// Such as "the passphrase in /run/pass".
  let source: String
}

/// Why there is no passphrase, in words that follow a colon.
struct NoPassphrase: Error, Equatable {
  let reason: String
  /// `true` if a prompt was shown and not answered.
  var isCancelled = false
}

extension Passphrase {
  /// Reads a passphrase from a file, dropping one newline at its end.
  ///
  /// - Returns: `nil` if there is no such file.
  /// - Throws: ``NoPassphrase``.
  static func read(_ path: String, _ rule: FileRule) throws(NoPassphrase) -> Passphrase? {
    let contents: Secret
    do {
      var bytes = try Descriptor.trustedBytes(path, rule, limit: 4096)
      // Only the newline is cut off, so nothing secret stays behind it in the buffer.
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      contents = Secret(consuming: &bytes)
    } catch {
      if error == .notThere { return nil }
      throw NoPassphrase(reason: "\(path): \(error.reason)")
    }
    guard contents.count > 0 else { throw NoPassphrase(reason: "\(path): it is empty") }
    return Passphrase(secret: contents, source: "the passphrase in \(path)")
  }
}
