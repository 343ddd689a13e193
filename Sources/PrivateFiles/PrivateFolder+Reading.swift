import Glibc

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
