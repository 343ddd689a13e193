import AcctPorts
import Glibc
import PrivateFiles
import Secrets
import Synchronization

extension SettingsFiles {
  /// The user's files.
  ///
  /// - Parameter copies: Where copies are made.
  /// - Returns: The files.
  static func live(copies: MemoryFolders) -> SettingsFiles {
    let folder = CopyFolder(copies)
    return SettingsFiles(
      read: { path, limit throws(SettingsFileFailure) in
        try at(path) { () throws(FileError) in try FollowedFile(at: path).settings(limit: limit) }
      },
      replace: { file, contents, isProgram, folders throws(SettingsFileFailure) in
        try at(file.path) { () throws(FileError) in
          let target = try FollowedFile(at: file.path)
          guard try target.has(file.contents) else { throw changed }
          if let contents {
            try target.write(contents, mode: isProgram ? 0o755 : 0o600)
          } else {
            try target.remove(folders)
          }
        }
      },
      copy: { name, contents throws(SettingsFileFailure) in
        let (folder, last) = place(of: name, in: try folder.made())
        do throws(PrivateFilesError) {
          try contents.withBytes { bytes throws(PrivateFilesError) in
            try folder.replace(last, bytes, surviving: false)
          }
        } catch {
          throw SettingsFileFailure(error)
        }
        return folder.path(of: last)
      },
      readCopy: { name throws(SettingsFileFailure) in
        let (folder, last) = place(of: name, in: try folder.made())
        do throws(PrivateFilesError) {
          guard var bytes = try folder.read(last, limit: 1 << 20) else { return Secret("") }
          return Secret(consuming: &bytes)
        } catch {
          throw SettingsFileFailure(error)
        }
      },
      removeCopies: { folder.remove() }
    )
  }
}

/// The folder of the copies that there are now.
private final class CopyFolder: Sendable {
  private let memory: MemoryFolders
  private let held = Mutex<HeldFolder?>(nil)

  init(_ memory: MemoryFolders) { self.memory = memory }

  func made() throws(SettingsFileFailure) -> PrivateFolder {
    try held.withLock { held throws(SettingsFileFailure) in
      do throws(MemoryFolderFailure) {
        let folder = if let held { held } else { try memory.make() }
        held = folder
        return PrivateFolder(at: folder.path)
      } catch {
        throw .failed(path: error.path, reason: error.reason)
      }
    }
  }

  func remove() { held.withLock { $0.take() }?.remove() }
}

/// The failure of a file that is not as it was read.
private let changed = FileError.system(ESTALE)

/// Names the file that `body` fails at.
private func at<Result>(
  _ path: String,
  _ body: () throws(FileError) -> Result
) throws(SettingsFileFailure) -> Result {
  do { return try body() } catch {
    switch error {
    case changed: throw .changed(path: path)
    case .system: throw .failed(path: path, reason: error.reason)
    case .distrusted, .exposed: throw .distrusted(path: path, reason: error.reason)
    }
  }
}

extension SettingsFileFailure {
  fileprivate init(_ error: PrivateFilesError) {
    self =
      switch error {
      case .failed(let path, let reason): .failed(path: path, reason: reason)
      case .unsafe(let path, let reason): .distrusted(path: path, reason: reason)
      case .busy(let path): .changed(path: path)
      }
  }
}

private func place(of name: String, in folder: PrivateFolder) -> (PrivateFolder, String) {
  let parts = name.split(separator: "/").map(String.init)
  return parts.count == 2 ? (folder.subfolder(parts[0]), parts[1]) : (folder, name)
}

/// A file of another program, behind the links that lead to it.
struct FollowedFile {
  private let path: String
  /// The file itself.
  private let target: String
  /// The folders that are missing, the outermost first.
  private let missing: [String]

  /// - Throws: ``FileError``, also for a link that leads nowhere.
  init(at path: String) throws(FileError) {
    self.path = path
    if let target = resolved(path) {
      (self.target, missing) = (target, [])
      return
    }
    guard errno == ENOENT else { throw .last }
    var status = stat()
    guard unsafe lstat(path, &status) != 0 else { throw .distrusted(reason: "it is a link to no file") }
    target = path
    var missing: [String] = []
    var folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    while !folder.isEmpty, unsafe access(String(folder), F_OK) != 0 {
      missing.insert(String(folder), at: 0)
      folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    }
    self.missing = missing
  }

  /// Reads the file.
  func settings(limit: Int) throws(FileError) -> SettingsFile {
    let folder = missing.first ?? target
    let isReadOnly = unsafe access(String(folder.parent), W_OK) != 0
    guard let file = try opened() else {
      return SettingsFile(path, missingFolders: missing, obstacle: isReadOnly ? .readOnly : nil)
    }
    guard var bytes = try readAll(from: file.number, limit: limit) else { throw .system(EFBIG) }
    let status = try file.status()
    let obstacle: SettingsFile.Obstacle? =
      if !status.isOwn {
        status.owner == 0 ? .root : .otherUser(userName(status.owner))
      } else {
        isReadOnly || status.mode & 0o200 == 0 ? .readOnly : nil
      }
    return SettingsFile(path, Secret(consuming: &bytes), obstacle: obstacle)
  }

  /// Returns `true` if the file is the user's to write, and still has these contents, or still does not exist.
  func has(_ contents: Secret?) throws(FileError) -> Bool {
    do throws(FileError) {
      let file = try settings(limit: contents?.count ?? 0)
      return file.contents == contents && file.obstacle == nil
    } catch {
      guard error == .system(EFBIG) else { throw error }
      return false
    }
  }

  private func opened() throws(FileError) -> Descriptor? {
    do throws(FileError) { return try Descriptor.trusted(target, .foreign) } catch {
      if error == .notThere { return nil }
      var status = stat()
      guard error == .system(EACCES), unsafe stat(target, &status) == 0, status.st_uid != geteuid() else {
        throw error
      }
      throw .distrusted(reason: "it belongs to the user \(userName(status.st_uid)), and you can't read it")
    }
  }

  /// Replaces the file; a new one gets `mode`.
  func write(_ contents: Secret, mode: UInt32) throws(FileError) {
    for folder in missing {
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last }
    }
    var old = stat()
    let isThere = unsafe stat(target, &old) == 0
    let group = isThere && old.st_gid != getegid() ? old.st_gid : nil
    try contents.withBytes { bytes throws(FileError) in
      try replaceFile(target, bytes, mode: isThere ? old.st_mode & 0o7777 : mode, group: group)
    }
    synchronizeFolder()
  }

  /// Removes the file, and the folders that are empty then.
  func remove(_ folders: [String]) throws(FileError) {
    guard unsafe unlink(target) == 0 || errno == ENOENT else { throw .last }
    for folder in folders.reversed() { unsafe rmdir(folder) }
    if folders.isEmpty { synchronizeFolder() }
  }

  private func synchronizeFolder() {
    // Some file systems can't; the file is in place in any case.
    do { try Descriptor.open(String(target.parent), O_RDONLY | O_DIRECTORY).synchronize() } catch {}
  }
}

/// Replaces a file by one that is written beside it; a group is given only where it is not this process's.
func replaceFile(
  _ target: String,
  _ bytes: Span<UInt8>,
  mode: mode_t,
  group: gid_t? = nil
) throws(FileError) {
  let temporary = "\(target).acct-\(getpid())"
  // One of a process that was killed, and had the same number.
  unsafe unlink(temporary)
  let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
  guard number >= 0 else { throw .last }
  do throws(FileError) {
    defer { close(number) }
    try writeAll(bytes, to: number)
    if let group, fchown(number, uid_t.max, group) != 0 { throw .last }
    guard fchmod(number, mode) == 0, fsync(number) == 0 else { throw .last }
    guard unsafe rename(temporary, target) == 0 else { throw .last }
  } catch {
    unsafe unlink(temporary)
    throw error
  }
}

extension String {
  /// The folder of a path.
  var parent: Substring {
    guard let end = lastIndex(of: "/") else { return "." }
    return end == startIndex ? "/" : self[..<end]
  }
}
