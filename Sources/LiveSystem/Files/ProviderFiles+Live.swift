package import AcctPorts
import PrivateFiles

extension ProviderFiles {
  /// The files in the user's configuration, then those for all users; of one name the first folder's.
  package static func live(_ folders: Folders) -> ProviderFiles {
    let places = folders.configurations.map { $0.subfolder("providers") }
    /// A service whose user's home is closed to it has `ACCT_HOME` alone.
    @Sendable func isBeside(_ folder: PrivateFolder, _ error: PrivateFilesError) -> Bool {
      guard case .failed = error else { return false }
      return folder.path(of: "") != places[0].path(of: "")
    }
    return ProviderFiles(
      names: { () throws(FilesFailure) in
        var names: Set<String> = []
        for folder in places {
          do throws(PrivateFilesError) {
            for name in try folder.names() where name.hasSuffix(".json") { names.insert(String(name.dropLast(5))) }
          } catch {
            guard isBeside(folder, error) else { throw FilesFailure(error) }
          }
        }
        for folder in folders.systemProviders {
          do throws(FileError) {
            for name in try folder.names() where name.hasSuffix(".json") { names.insert(String(name.dropLast(5))) }
          } catch {
            throw FilesFailure(error, at: folder.path)
          }
        }
        return Array(names)
      },
      read: { name throws(FilesFailure) in
        for folder in places {
          do throws(PrivateFilesError) {
            guard let bytes = try folder.read("\(name).json", limit: sizeLimit) else { continue }
            return File(bytes, at: folder.path(of: "\(name).json"))
          } catch {
            guard isBeside(folder, error) else { throw FilesFailure(error) }
          }
        }
        for folder in folders.systemProviders {
          let path = "\(folder.path)/\(name).json"
          do throws(FileError) {
            if let bytes = try folder.read("\(name).json", limit: sizeLimit) { return File(bytes, at: path) }
          } catch {
            throw FilesFailure(error, at: path)
          }
        }
        return nil
      },
      path: { folders.config.subfolder("providers").path(of: "\($0).json") }
    )
  }

  /// In bytes; the parser's own limit is lower, and says so in better words.
  private static let sizeLimit = 1 << 16
}

extension Folders {
  /// The folders of descriptions for all users, the first before the others.
  fileprivate var systemProviders: [SystemFolder] {
    systemConfigurations.map { SystemFolder(path: "\($0)/providers") }
  }
}

extension FilesFailure {
  /// A file for all users that can't be used.
  fileprivate init(_ error: FileError, at path: String) {
    if case .distrusted(let reason) = error {
      self = .unsafe(path: path, reason: reason)
    } else {
      self = .failed(path: path, reason: error.reason)
    }
  }
}
