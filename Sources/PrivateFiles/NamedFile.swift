import CLinux
import Glibc

/// A file that the user names and that holds a secret, wherever it lies.
///
/// The folder is the user's choice and not ours to judge; the file itself is made for its owner alone, even with a
/// wider umask.
package struct NamedFile: Sendable {
  private let folder: String
  private let name: String
  private let suffix: @Sendable () -> String

  /// Names a file; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - suffix: The random part of the temporary file's name.
  /// - Throws: An obstacle for a path that can be no file's.
  package init(
    _ path: String,
    suffix: @escaping @Sendable () -> String = { String(UInt64.random(in: .min ... .max), radix: 16) }
  ) throws(FileError) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    folder = slash.map { String(path[...$0]) } ?? "."
    name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    self.suffix = suffix
    guard !name.isEmpty, name != ".", name != ".." else { throw .system(EISDIR) }
  }

  /// Writes the file atomically and durably.
  ///
  /// - Parameters:
  ///   - bytes: Its contents.
  ///   - replacing: `true` to replace a regular file that is there.
  /// - Throws: ``FileError``, `EEXIST` among them; the old file is then still there.
  package func write(_ bytes: Span<UInt8>, replacing: Bool) throws(FileError) {
    let folder = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
    if replacing, let there = try folder.status(of: name) { try there.checkRegular() }
    let temporary = PrivateFolder.temporaryPrefix + suffix()
    try folder.write(bytes, toNew: temporary)
    do throws(FileError) {
      try folder.rename(temporary, to: name, replacing: replacing)
    } catch {
      unsafe unlinkat(folder.number, temporary, 0)
      throw error
    }
    try folder.synchronize()
  }
}

extension Descriptor {
  fileprivate func rename(_ temporary: String, to name: String, replacing: Bool) throws(FileError) {
    if replacing {
      guard unsafe renameat(number, temporary, number, name) == 0 else { throw .last }
      return
    }
    if unsafe acct_rename_new(number, temporary, name) == 0 { return }
    // Some file systems, such as NFS, know links and not this.
    guard errno == EINVAL || errno == ENOSYS else { throw .last }
    guard unsafe linkat(number, temporary, number, name, 0) == 0 else { throw .last }
    unsafe unlinkat(number, temporary, 0)
  }

  /// Reads the first line of the user's own file, such as a password, without the LF, CR or both that end it.
  ///
  /// The bytes that are not returned are wiped.
  ///
  /// - Parameters:
  ///   - path: The file. A FIFO does not hold the process up: it is no regular file, and rejected as such.
  ///   - limit: The most bytes that the file may have.
  /// - Returns: The line, which may be a secret.
  /// - Throws: ``FileError``, also for an empty line and for one with a zero byte, which no password of C has.
  package static func firstLine(of path: String, limit: Int) throws(FileError) -> [UInt8] {
    var bytes = try trustedBytes(path, .secret, limit: limit)
    defer { unsafe explicit_bzero(&bytes, bytes.count) }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty else { throw .distrusted(reason: "its first line is empty") }
    guard !line.contains(0) else { throw .distrusted(reason: "its first line contains a zero byte") }
    return Array(line)
  }
}
