package import AcctPorts
import Glibc
import PrivateFiles

extension ProviderFiles {
  /// The files in the user's configuration, then those for all users; of one name the first folder's.
  package static func live(_ folders: Folders) -> ProviderFiles {
    ProviderFiles(
      names: { () throws(FilesFailure) in
        var names: Set<String> = []
        for folder in folders.providers {
          let found = try folder.unlessAbsent(folder.path) { () throws(FileError) in
            try Descriptor.trustedNames(in: folder.path)
          }
          for name in found ?? [] where name.hasSuffix(".json") { names.insert(String(name.dropLast(5))) }
        }
        return Array(names)
      },
      read: { name throws(FilesFailure) in
        for folder in folders.providers {
          let path = "\(folder.path)/\(name).json"
          let bytes = try folder.unlessAbsent(path) { () throws(FileError) in
            try Descriptor.trustedBytes(path, .genuine, limit: sizeLimit)
          }
          if let bytes { return File(bytes, at: path) }
        }
        return nil
      },
      path: { folders.config.subfolder("providers").path(of: "\($0).json") }
    )
  }

  /// In bytes; the parser's own limit is lower, and says so in better words.
  private static let sizeLimit = 1 << 16
}

/// A folder of descriptions.
private struct DescriptionFolder {
  let path: String
  /// `true` for the one that the user's own descriptions are for.
  let isFirst: Bool

  /// Does `body`, which reads `path`; `nil` if there is nothing there, or nothing for this user.
  func unlessAbsent<Result>(
    _ path: String,
    _ body: () throws(FileError) -> Result
  ) throws(FilesFailure) -> Result? {
    do throws(FileError) { return try body() } catch {
      switch error {
      case .notThere: return nil
      // A service whose user's home is closed to it has `ACCT_HOME` alone.
      case .system(ENOTDIR) where !isFirst, .system(EACCES) where !isFirst: return nil
      case .system: throw .failed(path: path, reason: error.reason)
      case .distrusted, .exposed:
        // The way there is of no importance if it leads to nothing.
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        throw .unsafe(path: path, reason: error.reason)
      }
    }
  }
}

extension Folders {
  /// The folders of descriptions, the first before the others.
  fileprivate var providers: [DescriptionFolder] {
    let paths = configurations.map(\.path) + systemConfigurations
    return paths.enumerated().map { DescriptionFolder(path: "\($1)/providers", isFirst: $0 == 0) }
  }
}
