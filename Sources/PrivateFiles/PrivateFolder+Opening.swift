import CLinux
import Glibc

extension PrivateFolder {
  /// Opens the folder to read its files.
  ///
  /// - Returns: `nil` if it, or a folder above it, does not exist.
  /// - Throws: ``PrivateFilesError``.
  func opened() throws(PrivateFilesError) -> Descriptor? { try descend(creating: false) }

  /// Opens the folder to write in it: creates missing folders, and closes it to other readers.
  func created() throws(PrivateFilesError) -> Descriptor {
    guard let folder = try descend(creating: true) else { throw PrivateFilesError(path, .notThere) }
    return folder
  }

  /// Tells the folder from every other one of this machine, by any path; it is made if it is missing.
  package func identity() throws(PrivateFilesError) -> String {
    let folder = try created()
    return try at(path) { () throws(FileError) in try folder.status().identity }
  }

  private func descend(creating: Bool) throws(PrivateFilesError) -> Descriptor? {
    let basePath = base.isEmpty ? "." : base
    guard
      var folder = try at(basePath, { () throws(FileError) in try openBase(basePath, creating: creating) })
    else { return nil }
    var place = base
    for (depth, name) in chain.enumerated() {
      if depth > 0 { try check(name) }
      place += name
      guard
        let next = try at(
          place,
          { () throws(FileError) in try step(into: name, of: folder, place, creating: creating) }
        )
      else { return nil }
      folder = next
      place += "/"
    }
    return folder
  }
}

/// Opens the folders above: they may be reached through links, and are not acct's to judge.
private func openBase(_ path: String, creating: Bool) throws(FileError) -> Descriptor? {
  // `O_PATH`, since a base that can be passed through need not be readable.
  let flags = ACCT_O_PATH | O_DIRECTORY
  do { return try .open(path, flags) } catch {
    guard error == .notThere else { throw error }
    guard creating else { return nil }
  }
  var made = path.hasPrefix("/") ? "/" : ""
  for part in path.split(separator: "/") {
    made += part + "/"
    guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST else { throw .last }
  }
  return try .open(path, flags)
}

private func step(
  into name: String,
  of parent: borrowing Descriptor,
  _ path: String,
  creating: Bool
) throws(FileError) -> Descriptor? {
  guard let folder = try open(folder: name, in: parent, path, creating: creating) else { return nil }
  try folder.status().checkGenuine()
  if creating, try folder.status().mode & 0o077 != 0 {
    _ = fchmod(folder.number, 0o700)
    // Checked again, since some file systems accept a mode and ignore it.
    guard try folder.status().mode & 0o077 == 0 else { throw .distrusted(reason: "others can read it") }
  }
  return folder
}

private func open(
  folder name: String,
  in parent: borrowing Descriptor,
  _ path: String,
  creating: Bool
) throws(FileError) -> Descriptor? {
  do { return try parent.open(name, O_RDONLY | O_DIRECTORY) } catch {
    if error == .isLink { return try .linked(folder: path) }
    guard error == .notThere else { throw error }
    guard creating else { return nil }
  }
  if unsafe mkdirat(parent.number, name, 0o700) == 0 {
    // Opened anew, since a base that is held by `O_PATH` cannot be synchronized; where it cannot
    // be opened either, there is nothing more to do for it.
    if let readable = try? parent.open(".", O_RDONLY | O_DIRECTORY) { try readable.synchronize() }
  } else if errno != EEXIST {
    throw .last
  }
  return try parent.open(name, O_RDONLY | O_DIRECTORY)
}

extension Descriptor {
  /// Opens the folder that a link leads to, if only this user and root can have made the link, and can change the way.
  ///
  /// - Parameter path: The link, as in ``trusted(_:_:)``.
  /// - Returns: The folder, open for reading.
  /// - Throws: ``FileError``, ``FileError/distrusted(reason:)`` among them for a link to no folder.
  static func linked(folder path: String) throws(FileError) -> Descriptor {
    do throws(FileError) { return try trusted(folder: path).open(".", O_RDONLY | O_DIRECTORY) } catch {
      switch error {
      case .notThere: throw .distrusted(reason: "it is a link to a folder that does not exist")
      // Of a folder on the way, not of this one.
      case .exposed(let reason, chmod: nil): throw .distrusted(reason: reason)
      default: throw error
      }
    }
  }
}

extension PrivateFolder {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - limit: The most bytes it may have.
  /// - Returns: Its bytes, or `nil` if it or the folder is not there.
  /// - Throws: ``PrivateFilesError``; also for a file that is not regular, is another user's, or
  ///   can be changed by others.
  package func read(_ name: String, limit: Int) throws(PrivateFilesError) -> [UInt8]? {
    try check(name)
    guard let folder = try opened() else { return nil }
    return try at(path(of: name)) { () throws(FileError) in
      let file: Descriptor
      do throws(FileError) { file = try folder.open(name, O_RDONLY) } catch {
        guard error == .notThere else { throw folder.told(error, of: name, path(of: name)) }
        return nil
      }
      return try file.genuineBytes(limit: limit)
    }
  }

  /// Reads a regular file of this user's that others may be able to change, for a message about it alone.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - limit: The most bytes it may have.
  /// - Returns: Its bytes, none if it can't be read; and whether it is such a file, which only a mode keeps from use.
  package func inspected(_ name: String, limit: Int) -> (bytes: [UInt8], isOwn: Bool) {
    var isOwn = false
    do {
      guard let folder = try opened(), let status = try folder.status(of: name) else { return ([], false) }
      isOwn = status.isOwn && status.kind == .regular
      guard isOwn else { return ([], false) }
      let file = try folder.open(name, O_RDONLY)
      return (try readAll(from: file.number, limit: limit) ?? [], true)
    } catch { return ([], isOwn) }
  }

  /// Returns `true` if there is something of a name, or that can't be told: one system call, which trusts nothing.
  package func has(_ name: String) -> Bool {
    var status = stat()
    return unsafe fstatat(AT_FDCWD, path(of: name), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  /// Lists the folder, but for files that are still being written or were when a process died.
  ///
  /// - Returns: The names, in no order; none if the folder is not there.
  /// - Throws: ``PrivateFilesError``.
  package func names() throws(PrivateFilesError) -> [String] {
    guard let folder = try opened() else { return [] }
    return try at(path) { () throws(FileError) in try folder.names().filter { !$0.hasPrefix(Self.temporaryPrefix) } }
  }
}

extension Descriptor {
  /// The error in opening a file of this folder, which for one that this user may not read names what is wrong with it.
  func told(_ error: FileError, of name: String, _ path: String) -> FileError {
    guard error == .system(EACCES) else { return error }
    do throws(FileError) {
      guard let status = try status(of: name) else { return error }
      try status.checkGenuine()
      guard status.mode & 0o400 == 0 else { return error }
      return .exposed(reason: "you may not read it", chmod: "chmod u+r \(shellWord(path))")
    } catch { return error }
  }

  /// Reads a regular file that only this user can change.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Returns: Its bytes.
  /// - Throws: ``FileError``.
  package func genuineBytes(limit: Int) throws(FileError) -> [UInt8] {
    let status = try status()
    try status.checkRegular()
    try status.checkGenuine()
    // No more than it has, since files are replaced and never grow, and most are far smaller.
    let size = min(status.size, limit)
    guard let bytes = try readAll(from: number, limit: size, expecting: size) else { throw .system(EFBIG) }
    return bytes
  }

  func names() throws(FileError) -> [String] {
    // A second descriptor, since the stream takes the one that it is given.
    let own = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { throw .last }
    guard let stream = unsafe fdopendir(own) else {
      defer { close(own) }
      throw .last
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .last }
        return names
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }
}

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

/// The names in a folder of any owner, in no order; `nil` if it can't be listed.
package func names(in folder: String) -> [String]? {
  do { return try Descriptor.open(folder, O_RDONLY | O_DIRECTORY).names() } catch { return nil }
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
