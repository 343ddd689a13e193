package import AcctPorts
import Glibc
import PrivateFiles
import Text

extension ProcessEnvironment {
  /// The process's environment and working directory.
  package static func live() -> ProcessEnvironment {
    ProcessEnvironment(
      variable: { name in
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
      },
      directoryFiles: { LiveSystem.workingDirectory().map(directoryFiles) ?? [] },
      workingDirectory: LiveSystem.workingDirectory,
      hostName: {
        var name = [CChar](repeating: 0, count: 256)
        // One byte less: POSIX does not promise that a name which is cut off ends with 0.
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      },
      user: { User(id: geteuid(), name: unsafe entry { unsafe $0.pw_name }) },
      parent: parentName,
      machine: Machine.live
    )
  }

  /// The kernel's name of the process that started this one: of a script, that of its file; at most 15 bytes.
  private static func parentName() -> String? {
    let file = unsafe open("/proc/\(getppid())/comm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { room in
      let count = unsafe read(file, room.baseAddress, room.count)
      // It ends with a line feed.
      return count > 1 ? unsafe String(decoding: room[..<(count - 1)], as: UTF8.self) : nil
    }
  }

  /// The `.acct` files of a directory and of those above it.
  package static func directoryFiles(from directory: String) -> [DirectoryFile] {
    var files: [DirectoryFile] = []
    // Its parts are cut off one by one: to join them searches the whole program for a conformance.
    var folder = directory[...]
    while true {
      while folder.last == "/" { folder.removeLast() }
      if let file = directoryFile("\(folder)/.acct") { files.append(file) }
      guard let slash = folder.lastIndex(of: "/") else { return files }
      folder = folder[..<slash]
    }
  }

  /// In bytes.
  private static let sizeLimit = 4096
  private static let nameLimit = 32

  private static func directoryFile(_ path: String) -> DirectoryFile? {
    var status = stat()
    if unsafe lstat(path, &status) != 0, errno == ENOENT || errno == ENOTDIR { return nil }
    let contents: [UInt8]
    do throws(FileError) {
      // Not through a link, which another user could redirect.
      guard status.st_mode & S_IFMT != S_IFLNK else { throw .isLink }
      contents = try Descriptor.trustedBytes(path, .own, limit: sizeLimit)
    } catch {
      return unread(path, status, error)
    }
    guard let text = String(validating: contents, as: UTF8.self) else {
      return .unusable(path: path, reason: "it is not UTF-8")
    }
    // A carriage return and a line feed are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(\.trimmed)
    guard lines.first?.isEmpty == false else { return .unusable(path: path, reason: "its first line is empty") }
    let names = lines.filter { !$0.isEmpty }.map(String.init)
    guard names.count <= nameLimit else {
      return .unusable(path: path, reason: "it has \(names.count) names; \(nameLimit) are the most")
    }
    return .trusted(path: path, names: names)
  }

  /// A file that was not read: the user's own is a mistake to be told, and any other is ignored.
  private static func unread(_ path: String, _ status: stat, _ error: FileError) -> DirectoryFile {
    guard status.st_mode != 0, status.st_uid == geteuid() else { return .ignored(path: path, reason: error.reason) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .unusable(path: path, reason: "it is a folder")
    case S_IFLNK where unsafe access(path, F_OK) != 0:
      return .unusable(path: path, reason: "it is a link to nothing")
    // Also one that others can write: what they wrote is not to be found out by another account's being used.
    case S_IFREG: return .unusable(path: path, reason: error.reason)
    default: return .ignored(path: path, reason: error.reason)
    }
  }
}
