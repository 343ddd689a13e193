import Glibc
import Text

/// The demands on a file that acct obeys, wherever it lies.
///
/// The file belongs to this user or to root, and no other user can write it. ``Descriptor/trusted(_:_:)`` demands the
/// same of every folder and link that leads to it.
package enum FileRule: Sendable {
  /// Others may read it: a description, a certificate, a token that a platform renews.
  case genuine
  /// As ``genuine``, and read once, as standard input is: it may be a FIFO, or a descriptor that the caller opened.
  case input
  /// As ``genuine``, and run or loaded: it need not be readable.
  case program
  /// As ``genuine``, and not root's.
  case own
  /// As ``genuine``, and of any owner: acct shows it, and does not obey it.
  case foreign
  /// Others can't read it; where root hands it over, a group can.
  case secret
  /// As ``secret``, and read once, when a command names it: it may be a FIFO.
  case secretInput
  /// As ``secret``, and its group can read it in any case: as systemd hands out credentials.
  case credential

  /// `true` if a FIFO is waited for, until a program has written to it.
  var acceptsFIFO: Bool { self == .input || self == .secretInput }

  /// The permission bits that a file of this status may not have.
  fileprivate func denied(to status: FileStatus) -> UInt32 {
    switch self {
    case .genuine, .input, .program, .own, .foreign: 0o022
    case .credential: 0o037
    case .secret, .secretInput: status.isHandedOver ? 0o037 : 0o077
    }
  }
}

extension FileStatus {
  /// Checks the owner and the mode of a file; `path` is for the line that closes it.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``, ``FileError/exposed(reason:chmod:)``.
  func check(_ rule: FileRule, _ path: String) throws(FileError) {
    guard isOwn || owner == 0 && rule != .own || rule == .foreign else {
      throw .distrusted(reason: "it belongs to another user")
    }
    let denied = rule.denied(to: self)
    guard mode & denied != 0 else { return }
    let isSecret = denied & 0o004 != 0
    throw .exposed(
      reason: isSecret ? "its group or others can read or write it" : "its group or others can write to it",
      chmod: chmod(isSecret ? "600" : "go-w", path)
    )
  }

  /// Checks that no other user than `administrator` can put something else in the place of what is in a folder.
  ///
  /// In a folder such as `/tmp` (sticky) others can't touch what is not theirs.
  ///
  /// - Throws: ``FileError/distrusted(reason:)``, ``FileError/exposed(reason:chmod:)``.
  func checkFolder(_ path: String, administrator: UInt32) throws(FileError) {
    try checkOwner("the folder \(path)", administrator: administrator)
    guard mode & 0o022 != 0, mode & 0o1000 == 0 else { return }
    throw .exposed(reason: "its group or others can write to the folder \(path)", chmod: chmod("go-w", path))
  }

  /// Checks the owner of something that leads to a file.
  func checkOwner(_ subject: String, administrator: UInt32) throws(FileError) {
    guard isOwn || owner == 0 || owner == administrator else {
      throw .distrusted(reason: "\(subject) belongs to another user")
    }
  }

  /// `true` for root's file with a group of this process's: as Kubernetes hands out secrets.
  ///
  /// Where this process is root's, too, its own group gets nothing: such a file is like any of the user's own.
  fileprivate var isHandedOver: Bool {
    guard owner == 0 else { return false }
    guard isOwn else { return true }
    guard group != getegid() else { return false }
    var groups = [gid_t](repeating: getegid(), count: max(0, Int(getgroups(0, nil))))
    _ = unsafe getgroups(Int32(groups.count), &groups)
    return groups.contains(group)
  }

  /// The line that mends a mode; `nil` where this user can't change it.
  private func chmod(_ mode: String, _ path: String) -> String? {
    isOwn || geteuid() == 0 ? "chmod \(mode) \(shellWord(path))" : nil
  }
}

/// A path as a shell takes it for one word.
func shellWord(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "%+,-./:=@_".utf8.contains($0) }
  guard !isPlain else { return path }
  var word = "'"
  for character in path { word += character == "'" ? "'\\''" : String(character) }
  return word + "'"
}

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
