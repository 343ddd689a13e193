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
      try folder.replace(name, bytes, by: Self.temporaryPrefix + suffix(), surviving: surviving)
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
  /// Replaces a file in this folder by a new one, which is written under another name first.
  func replace(
    _ name: String,
    _ bytes: Span<UInt8>,
    by temporary: String,
    mode: mode_t = 0o600,
    surviving: Bool
  ) throws(FileError) {
    try write(bytes, toNew: temporary, mode: mode, surviving: surviving)
    guard unsafe renameat(number, temporary, number, name) == 0 else {
      let fileError = FileError.last
      unsafe unlinkat(number, temporary, 0)
      throw fileError
    }
    if surviving { try synchronize() }
  }

  /// Writes a file that was not there before, and sees it onto the disk; nothing is left of it on
  /// failure.
  func write(
    _ bytes: Span<UInt8>,
    toNew name: String,
    mode: mode_t = 0o600,
    surviving: Bool = true
  ) throws(FileError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    do throws(FileError) {
      try writeAll(bytes, to: file.number)
      // Of the open file: its name may lead elsewhere by now.
      if mode != 0o600, fchmod(file.number, mode) != 0 { throw .last }
      if surviving { try file.synchronize() }
    } catch {
      unsafe unlinkat(number, name, 0)
      throw error
    }
  }
}
