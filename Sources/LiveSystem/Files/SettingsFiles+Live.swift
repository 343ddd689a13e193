import AcctPorts
import Glibc
import PrivateFiles
import Secrets

extension SettingsFiles {
  /// The user's files.
  ///
  /// - Parameter copies: The folder in which copies are made.
  /// - Returns: The files.
  static func live(copies: PrivateFolder) -> SettingsFiles {
    SettingsFiles(
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
        let (folder, last) = place(of: name, in: copies)
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
        let (folder, last) = place(of: name, in: copies)
        do throws(PrivateFilesError) {
          guard var bytes = try folder.read(last, limit: 1 << 20) else { return Secret("") }
          return Secret(consuming: &bytes)
        } catch {
          throw SettingsFileFailure(error)
        }
      },
      removeCopies: { remove(copies) }
    )
  }
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

/// Removes the folder with everything in it, as far as it is there.
private func remove(_ folder: PrivateFolder) {
  for name in UserFolder(at: folder.path).names() where name != "." && name != ".." {
    if unsafe unlink(folder.path(of: name)) != 0 { remove(folder.subfolder(name)) }
  }
  unsafe rmdir(folder.path)
}
