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
