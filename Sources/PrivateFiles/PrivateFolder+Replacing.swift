import Glibc

extension PrivateFolder {
  /// Replaces a file atomically and durably, creating the folder if it is missing.
  ///
  /// A reader sees the old file or the new one, whole; so does the next start after a loss of
  /// power. A link that stands at the name is itself replaced, not followed.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - bytes: Its new contents.
  ///   - surviving: `true` if it has to survive a loss of power. A file that can be made again need not, and is
  ///     written many times faster; its reader has to know damage when it sees it.
  /// - Throws: ``PrivateFilesError``; the old file is then still there.
  package func replace(_ name: String, _ bytes: Span<UInt8>, surviving: Bool = true) throws(PrivateFilesError) {
    try check(name)
    let folder = try created()
    try at(path(of: name)) { () throws(FileError) in
      let temporary = Self.temporaryPrefix + suffix()
      try folder.write(bytes, toNew: temporary, surviving: surviving)
      guard unsafe renameat(folder.number, temporary, folder.number, name) == 0 else {
        let fileError = FileError.last
        unsafe unlinkat(folder.number, temporary, 0)
        throw fileError
      }
      if surviving { try folder.synchronize() }
    }
  }

  /// Removes a file durably; one that is not there is no error.
  package func remove(_ name: String) throws(PrivateFilesError) {
    try check(name)
    guard let folder = try opened() else { return }
    try at(path(of: name)) { () throws(FileError) in
      guard unsafe unlinkat(folder.number, name, 0) == 0 else {
        if errno == ENOENT { return }
        throw .last
      }
      try folder.synchronize()
    }
  }

  /// Makes sure that a file of `size` bytes could be written now, creating the folder if it is
  /// missing.
  ///
  /// - Throws: ``PrivateFilesError``, such as for a full or a read-only disk.
  package func checkWritable(size: Int) throws(PrivateFilesError) {
    let folder = try created()
    try at(path) { () throws(FileError) in
      let temporary = Self.temporaryPrefix + suffix()
      try folder.write([UInt8](repeating: 0, count: size).span, toNew: temporary)
      unsafe unlinkat(folder.number, temporary, 0)
    }
  }
}

extension Descriptor {
  /// Writes a file that was not there before, and sees it onto the disk; nothing is left of it on
  /// failure.
  func write(_ bytes: Span<UInt8>, toNew name: String, surviving: Bool = true) throws(FileError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    do {
      try writeAll(bytes, to: file.number)
      if surviving { try file.synchronize() }
    } catch {
      unsafe unlinkat(number, name, 0)
      throw error
    }
  }
}
