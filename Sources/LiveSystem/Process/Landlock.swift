import AcctPorts
import CLinux
import Glibc
import PrivateFiles

/// The kernel's way to close files to a process that has the right to open them, landlock(7).
struct Landlock {
  /// The version of its interface.
  let version: Int

  /// - Returns: `nil` where the kernel has none, or only the first: that one lets no file be renamed from one
  ///   folder to another.
  init?() {
    version = acct_landlock_version()
    guard version >= 2 else { return nil }
  }

  /// Closes all files but these, all TCP ports but the one to listen at, and signals to other processes.
  ///
  /// - Returns: Its version; `nil` if the process is as it was.
  func close(all files: FencedFiles, butFor place: LocalPlace) -> Int? {
    // A fence is one thread's, and of those that it makes: half a fence would be found out after days.
    guard hasOneThread() else { return nil }
    var handled = acct_landlock(files: FileRights.all(version), ports: 0, scopes: 0)
    if version >= 4 { handled.ports = Self.bindTCP }
    if version >= 6 { handled.scopes = Self.signals | (files.reachesAbstractSockets ? 0 : Self.abstractSockets) }
    let number = unsafe acct_landlock_create(&handled)
    guard number >= 0 else { return nil }
    defer { Glibc.close(number) }
    for (path, rights) in files.rights {
      guard allow(rights.number(version), path, number) else { return nil }
    }
    if version >= 4, case .port(let port) = place {
      // 0 stands for a port that the kernel chooses.
      guard acct_landlock_allow_port(number, UInt64(port ?? 0), Self.bindTCP) == 0 else { return nil }
    }
    return acct_landlock_begin(number) == 0 ? version : nil
  }

  /// Adds a rule for a path; one that does not exist needs none.
  private func allow(_ rights: UInt64, _ path: String, _ rules: Int32) -> Bool {
    do throws(FileError) {
      let file = try Descriptor.open(path, ACCT_O_PATH)
      let isFolder = try file.status().kind == .folder
      let applicable = isFolder ? rights : rights & FileRights.ofFiles
      return acct_landlock_allow_path(rules, file.number, applicable) == 0
    } catch {
      return true
    }
  }

  private static let bindTCP: UInt64 = 1 << 0
  private static let abstractSockets: UInt64 = 1 << 0
  private static let signals: UInt64 = 1 << 1
}

/// The kinds of access to files, by the bits of `LANDLOCK_ACCESS_FS_…`.
enum FileRights {
  /// Reading files and folders, and loading libraries.
  case read
  /// Reading and writing existing files, such as a device.
  case write
  /// Everything that acct does in its own folders.
  case own
  /// Making a socket, and removing it.
  case socket

  /// The rights that a version knows, which are all that a fence takes away.
  static func all(_ version: Int) -> UInt64 {
    // REFER is from version 2 on, TRUNCATE from 3, IOCTL_DEV from 5.
    (1 << 14) - 1 | (version >= 3 ? truncate : 0) | (version >= 5 ? control : 0)
  }

  /// The rights that a file can have which is no folder.
  static let ofFiles: UInt64 = execute | writeFile | readFile | truncate | control

  func number(_ version: Int) -> UInt64 {
    let rights: UInt64 =
      switch self {
      case .read: Self.execute | Self.readFile | Self.readFolder
      case .write: Self.readFile | Self.writeFile | Self.control
      case .own: Self.all(version) & ~(Self.execute | Self.makeDevices)
      case .socket: Self.makeSocket | Self.removeFile
      }
    return rights & Self.all(version)
  }

  private static let execute: UInt64 = 1 << 0
  private static let writeFile: UInt64 = 1 << 1
  private static let readFile: UInt64 = 1 << 2
  private static let readFolder: UInt64 = 1 << 3
  private static let removeFile: UInt64 = 1 << 5
  /// Character and block devices.
  private static let makeDevices: UInt64 = 1 << 6 | 1 << 11
  private static let makeSocket: UInt64 = 1 << 9
  private static let truncate: UInt64 = 1 << 14
  private static let control: UInt64 = 1 << 15
}

/// `true` if no other thread runs; `false` also if their number can't be read.
///
/// A thread that has been joined may still be listed for a moment.
private func hasOneThread() -> Bool {
  for _ in 0..<50 {
    if threadCount() == 1 { return true }
    usleep(1_000)
  }
  return false
}

private func threadCount() -> Int? {
  guard let folder = unsafe opendir("/proc/self/task") else { return nil }
  defer { unsafe closedir(folder) }
  var count = 0
  while let entry = unsafe readdir(folder) {
    // `.` and `..` are the other two.
    if unsafe entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
  }
  return count
}
