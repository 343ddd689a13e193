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
  /// The allowed readers of a passphrase's file.
  enum Custody {
    /// The user alone, who owns it.
    case own
    /// The user's own or root's, and readable by its group: as systemd hands out credentials.
    case credential
  }

  /// Reads a passphrase from a file, dropping one newline at its end.
  ///
  /// The path itself may be a link: the user chose it, and the file that it leads to is checked.
  ///
  /// - Returns: `nil` if there is no such file.
  /// - Throws: ``NoPassphrase``.
  static func read(_ path: String, _ custody: Custody) throws(NoPassphrase) -> Passphrase? {
    let contents: Secret
    do {
      let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
      contents = try file.passphrase(custody)
    } catch {
      if error == .notThere { return nil }
      throw NoPassphrase(reason: "\(path): \(error.reason)")
    }
    guard contents.count > 0 else { throw NoPassphrase(reason: "\(path): it is empty") }
    return Passphrase(secret: contents, source: "the passphrase in \(path)")
  }
}

extension FileStatus {
  /// Checks that only the user, root and a group that root chose can read it.
  fileprivate func checkCredential() throws(FileError) {
    guard isOwn || owner == 0 else { throw .distrusted(reason: "it belongs to another user") }
    guard mode & 0o037 == 0 else { throw .distrusted(reason: "its group or others can read or write it") }
  }
}

extension Descriptor {
  fileprivate func passphrase(_ custody: Passphrase.Custody) throws(FileError) -> Secret {
    let status = try status()
    try status.checkRegular()
    switch custody {
    case .own: try status.checkConfidential()
    case .credential: try status.checkCredential()
    }
    guard var bytes = try readAll(from: number, limit: 4096) else { throw .system(EFBIG) }
    // Only the newline is cut off, so nothing secret stays behind it in the buffer.
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return Secret(consuming: &bytes)
  }
}
