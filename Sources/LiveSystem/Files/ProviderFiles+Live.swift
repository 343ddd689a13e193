package import AcctPorts
import PrivateFiles

extension ProviderFiles {
  /// The files in the user's configuration.
  package static func live(_ folders: Folders) -> ProviderFiles {
    let folder = folders.config.subfolder("providers")
    return ProviderFiles(
      names: { () throws(FilesFailure) in
        do throws(PrivateFilesError) {
          return try folder.names().filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        } catch {
          throw FilesFailure(error)
        }
      },
      read: { name throws(FilesFailure) in
        do throws(PrivateFilesError) {
          return try folder.read("\(name).json", limit: sizeLimit)
        } catch {
          throw FilesFailure(error)
        }
      },
      path: { folder.path(of: "\($0).json") }
    )
  }

  /// In bytes; the parser's own limit is lower, and says so in better words.
  private static let sizeLimit = 1 << 16
}
