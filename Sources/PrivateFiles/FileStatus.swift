import Glibc

/// The owner of a file, its permissions, and its identity.
package struct FileStatus: Equatable, Sendable {
  /// The kind of a file.
  package enum Kind: Equatable, Sendable { case regular, folder, link, other }

  package let kind: Kind
  let isFIFO: Bool
  /// The permission bits.
  package let mode: UInt32
  package let owner: UInt32
  let group: UInt32
  /// In bytes.
  package let size: Int
  /// When its contents last changed, in seconds since 1970.
  package let modifiedAt: Int
  private let device: UInt
  private let inode: UInt

  fileprivate init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    isFIFO = status.st_mode & S_IFMT == S_IFIFO
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
    size = status.st_size
    modifiedAt = status.st_mtim.tv_sec
    device = status.st_dev
    inode = status.st_ino
  }

  /// `true` if it belongs to the user that this process acts for.
  package var isOwn: Bool { owner == thisUser }

  /// Tells the file from every other one of this machine, by any path.
  var identity: String { "\(device)-\(inode)" }

  /// `true` if both are the same file, even if its mode has changed since.
  func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// Checks that only its owner, this user, can change it.
  ///
  /// Others may be able to read it: a file that is only read needs to be genuine, not confidential.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``, ``FileError/exposed(reason:chmod:)``.
  package func checkGenuine() throws(FileError) {
    guard isOwn else { throw .distrusted(reason: "it belongs to another user") }
    guard mode & 0o022 == 0 else { throw .exposed(reason: "its group or others can write to it", chmod: nil) }
  }

  /// Checks that it is a file with contents of its own: not a FIFO, a device or a folder.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``.
  package func checkRegular() throws(FileError) {
    guard kind == .regular else { throw .notRegular }
  }
}

extension Descriptor {
  /// The system's record of the open file.
  ///
  /// - Throws: The error of fstat(2).
  package func status() throws(FileError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .last }
    return FileStatus(status)
  }

  /// The status of this name in the open folder, a link being itself; `nil` if it does not exist.
  ///
  /// - Throws: The error of fstatat(2).
  package func status(of name: String) throws(FileError) -> FileStatus? {
    var status = stat()
    if unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
    guard errno == ENOENT else { throw .last }
    return nil
  }
}

/// The user that this process acts for, which stays the same while it runs.
private let thisUser = geteuid()
