package import AcctPorts
import Glibc
import PrivateFiles
import Secrets

extension ForeignFiles {
  /// The user's files.
  ///
  /// - Parameters:
  ///   - memory: Where copies are made.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Returns: The files.
  package static func live(
    _ memory: MemoryFolders,
    _ variable: @escaping @Sendable (_ name: String) -> String?
  ) -> ForeignFiles {
    ForeignFiles(
      home: { LiveSystem.home(variable) },
      read: { path, limit throws(SecretFileFailure) in
        do throws(FileError) {
          let file = try Descriptor.trusted(path, .own)
          let status = try file.status()
          guard var bytes = try readAll(from: file.number, limit: limit) else { throw .system(EFBIG) }
          return ForeignContents(Secret(consuming: &bytes), isExposed: status.mode & 0o077 != 0)
        } catch {
          throw SecretFileFailure(error, path)
        }
      },
      names: { folder in UserFolder(at: folder).names() },
      settings: .live(copies: memory)
    )
  }
}
