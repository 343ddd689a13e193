import CLinux
import Glibc

/// A file or folder as found, with any owner.
package struct SurveyEntry: Sendable {
  package let path: String
  package let status: FileStatus
}

extension PrivateFolder {
  /// Lists the folder and everything below it, without changing anything.
  ///
  /// A link in the place of one of acct's own folders is listed as that folder, if it leads to one of this user's; what
  /// any other link leads to is not acct's.
  ///
  /// - Parameters:
  ///   - depth: The number of levels of folders below this one that are entered.
  ///   - links: The paths of the folders that may be links.
  /// - Returns: The folder and its contents, in no order; nothing if it is not there.
  /// - Throws: ``PrivateFilesError`` if its contents can't be listed.
  package func survey(depth: Int, through links: [String]) throws(PrivateFilesError) -> [SurveyEntry] {
    try at(path) { () throws(FileError) in
      let own: FileStatus
      do throws(FileError) {
        own = try Descriptor.open(path, ACCT_O_PATH | O_NOFOLLOW).status()
      } catch {
        guard error == .notThere else { throw error }
        return []
      }
      var entries: [SurveyEntry] = []
      if own.kind == .folder {
        entries.append(SurveyEntry(path: path, status: own))
        try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).survey(path, depth, links, into: &entries)
        return entries
      }
      if own.kind == .link, try Descriptor.survey(link: path, depth, links, into: &entries) { return entries }
      entries.append(SurveyEntry(path: path, status: own))
      return entries
    }
  }

  /// `true` for the name of a file while it is being written.
  package static func isTemporary(_ name: some StringProtocol) -> Bool { name.hasPrefix(temporaryPrefix) }

  /// Removes a file if it is still the one that was surveyed.
  package func discard(_ name: String, modifiedAt time: Int) throws(PrivateFilesError) {
    guard let folder = try opened() else { return }
    try at(path(of: name)) { () throws(FileError) in
      guard let status = try folder.status(of: name), status.kind == .regular, status.isOwn, status.modifiedAt == time
      else { return }
      guard unsafe unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else { throw .last }
    }
  }
}

extension Descriptor {
  fileprivate func survey(
    _ path: String,
    _ depth: Int,
    _ links: [String],
    into entries: inout [SurveyEntry]
  ) throws(FileError) {
    for name in try names() {
      // Deleted since it was listed: another process is active.
      guard let status = try status(of: name) else { continue }
      let place = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      if status.kind == .link, depth > 0, try Self.survey(link: place, depth - 1, links, into: &entries) { continue }
      entries.append(SurveyEntry(path: place, status: status))
      guard status.kind == .folder, depth > 0 else { continue }
      let folder: Descriptor
      // One that can't be entered is reported as it is; the others are still listed.
      do throws(FileError) { folder = try open(name, O_RDONLY | O_DIRECTORY) } catch { continue }
      try folder.survey(place, depth - 1, links, into: &entries)
    }
  }

  /// Lists the folder of this user's that a link leads to.
  ///
  /// - Parameters:
  ///   - path: The link.
  ///   - depth: The number of levels of folders below it that are entered.
  ///   - links: The paths of the folders that may be links.
  ///   - entries: The list.
  /// - Returns: `false` if it is none of these links, or leads to no such folder.
  /// - Throws: The system's error in listing it.
  fileprivate static func survey(
    link path: String,
    _ depth: Int,
    _ links: [String],
    into entries: inout [SurveyEntry]
  ) throws(FileError) -> Bool {
    guard links.contains(path) else { return false }
    let folder: Descriptor
    do throws(FileError) { folder = try linked(folder: path) } catch { return false }
    let status = try folder.status()
    guard status.isOwn else { return false }
    entries.append(SurveyEntry(path: path, status: status))
    try folder.survey(path, depth, links, into: &entries)
    return true
  }
}

/// The path behind all links; `nil`, with the reason in `errno`, if it leads nowhere.
package func resolved(_ path: String) -> String? {
  guard let real = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(real) }
  return unsafe String(cString: real)
}

/// Removes the permissions of the group and others on an own file or folder.
package func closeToOthers(_ path: String) throws(PrivateFilesError) {
  try at(path) { () throws(FileError) in
    let file: Descriptor
    do throws(FileError) { file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) } catch {
      guard error == .system(ELOOP) else { throw error }
      file = try .linked(folder: path)
    }
    let status = try file.status()
    guard status.isOwn else { throw .distrusted(reason: "it belongs to another user") }
    guard fchmod(file.number, status.mode & 0o700) == 0 else { throw .last }
  }
}
