import AcctPorts
import Glibc
import PrivateFiles
import Secrets

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
    let temporary = "\(target).acct-\(getpid())"
    // One of a process that was killed, and had the same number.
    unsafe unlink(temporary)
    let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw .last }
    do throws(FileError) {
      defer { close(number) }
      try contents.withBytes { bytes throws(FileError) in try writeAll(bytes, to: number) }
      if isThere, old.st_gid != getegid() {
        guard fchown(number, uid_t.max, old.st_gid) == 0 else { throw .last }
      }
      guard fchmod(number, isThere ? old.st_mode & 0o7777 : mode) == 0, fsync(number) == 0 else { throw .last }
      guard unsafe rename(temporary, target) == 0 else { throw .last }
    } catch {
      unsafe unlink(temporary)
      throw error
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

extension String {
  /// The folder of a path.
  fileprivate var parent: Substring {
    guard let end = lastIndex(of: "/") else { return "." }
    return end == startIndex ? "/" : self[..<end]
  }
}
