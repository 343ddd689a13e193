import Glibc
import PrivateFiles

/// A folder of files for all users, which only an administrator can change.
struct SystemFolder {
  let path: String

  /// The names of its files; none if it is not there or closed to this user.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``.
  func names() throws(FileError) -> [String] {
    try isThere() ? UserFolder(at: path).names() : []
  }

  /// The bytes of a file; `nil` if it is not there.
  ///
  /// - Throws: ``FileError``, also for a file that another user than root can change.
  func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
    guard try isThere() else { return nil }
    let file: Descriptor
    do { file = try Descriptor.open("\(path)/\(name)", O_RDONLY | O_NONBLOCK) } catch {
      guard error.isAbsence else { throw error }
      return nil
    }
    let status = try file.status()
    try status.checkRegular()
    try status.checkSystems()
    guard let bytes = try readAll(from: file.number, limit: limit) else { throw .system(EFBIG) }
    return bytes
  }

  private func isThere() throws(FileError) -> Bool {
    let folder: Descriptor
    do { folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY) } catch {
      guard error.isAbsence else { throw error }
      return false
    }
    try folder.status().checkSystems()
    return true
  }
}

extension FileError {
  /// `true` if there is no such file, or none for this user.
  fileprivate var isAbsence: Bool { [ENOENT, ENOTDIR, EACCES].contains { self == .system($0) } }
}

extension FileStatus {
  /// Checks that only an administrator, or this user, can change it.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``.
  fileprivate func checkSystems() throws(FileError) {
    guard owner == 0 || isOwn else { throw .distrusted(reason: "it belongs to another user") }
    guard mode & 0o022 == 0 else { throw .distrusted(reason: "its group or others can write to it") }
  }
}
