import CLinux
import Glibc

extension Descriptor {
  /// Opens a folder in which no other user but root can replace a file of this user's, at a path that no other user but
  /// root can lead elsewhere.
  ///
  /// Each folder on the way, and each link, belongs to this user or to root. Others can write to such a folder only if
  /// it is sticky: there they can neither rename nor delete what is not theirs (inode(7)).
  ///
  /// - Parameter path: The path; links in it are followed.
  /// - Returns: The folder, to open other names in, not to read (`O_PATH`).
  /// - Throws: ``PrivateFilesError``, with the part of the path that can't be used.
  static func trusted(folder path: String) throws(PrivateFilesError) -> Descriptor {
    var place = "/"
    var folder = try at(place) { () throws(FileError) in try trustedRoot() }
    // The next one last.
    var rest = try at(path) { () throws(FileError) in Array(parts(of: try absolute(path)).reversed()) }
    var links = 0
    while let name = rest.popLast() {
      let here = place + name
      let next = try at(here) { () throws(FileError) in try folder.open(name, ACCT_O_PATH) }
      guard let target = try at(here, { () throws(FileError) in try next.trustedTarget() }) else {
        folder = next
        place = here + "/"
        continue
      }
      links += 1
      guard links <= linkLimit else { throw PrivateFilesError(here, .system(ELOOP)) }
      rest += parts(of: target).reversed()
      guard target.hasPrefix("/") else { continue }
      folder = try at("/") { () throws(FileError) in try trustedRoot() }
      place = "/"
    }
    return folder
  }

  /// As many as the kernel follows (path_resolution(7)).
  private static let linkLimit = 40

  private static func trustedRoot() throws(FileError) -> Descriptor {
    let root = try open("/", ACCT_O_PATH | O_DIRECTORY)
    try root.status().checkTrusted()
    return root
  }

  private static func parts(of path: String) -> [String] { path.split(separator: "/").map(String.init) }

  private static func absolute(_ path: String) throws(FileError) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let folder = unsafe getcwd(nil, 0) else { throw .last }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }

  /// Checks an open link or folder; returns the target of a link.
  private func trustedTarget() throws(FileError) -> String? {
    let status = try status()
    guard status.kind == .folder || status.kind == .link else { throw .system(ENOTDIR) }
    try status.checkTrusted()
    guard status.kind == .link else { return nil }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    // Of the open link itself: its name may be another's by now.
    let count = unsafe readlinkat(number, "", &target, target.count)
    guard count >= 0 else { throw .last }
    guard count < target.count else { throw .system(ENAMETOOLONG) }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension FileStatus {
  /// Checks that only this user and root can change a link, or rename and delete what others have in a folder.
  fileprivate func checkTrusted() throws(FileError) {
    guard isOwn || owner == 0 else { throw .distrusted(reason: "it belongs to another user") }
    // A link's own mode means nothing.
    guard kind == .link || mode & 0o022 == 0 || mode & 0o1000 != 0 else {
      throw .distrusted(reason: "its group or others can write to it, and it is not sticky")
    }
  }
}
