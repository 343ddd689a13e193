package import AcctModel
import AcctPorts
import Secrets

/// Writes which accounts a folder and all below it are for: its `.acct` file.
package struct PinAccounts: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// In bytes; a larger file is none of acct's.
  private static let sizeLimit = 4096

  /// Writes the names of accounts into the `.acct` file of the working directory, one a line.
  ///
  /// - Parameters:
  ///   - accounts: The accounts; the first is the one for all that names no URL.
  ///   - isAdded: `true` to keep the names that are there, before these.
  /// - Returns: The file's path, all names that it has now, and those that it had, if they could be read.
  /// - Throws: ``SelectionError/directoryNotWritten(_:)``, and ``SelectionError/directoryFile(path:reason:)`` for a
  ///   file to add to that can't be read.
  package func write(
    _ accounts: [AccountName],
    isAdded: Bool
  ) throws(EngineError) -> (path: String, names: [String], before: [String]) {
    guard let folder = context.world.environment.workingDirectory() else { throw .selection(.noDirectory) }
    let path = folder == "/" ? "/.acct" : "\(folder)/.acct"
    let before: [String]
    // A file that can't be read is written anew only where nothing of it is to be kept.
    do throws(EngineError) { before = try known(path) } catch { if isAdded { throw error } else { before = [] } }
    var names = isAdded ? before : []
    for name in accounts.map(\.description) where !names.contains(name) { names.append(name) }
    let files = context.world.foreignFiles.settings
    do throws(SettingsFileFailure) {
      let file = try files.read(path, Self.sizeLimit)
      try files.replace(file, Secret(names.map { "\($0)\n" }.joined()), false, [])
    } catch {
      throw .selection(.directoryNotWritten(error))
    }
    return (path, names, before)
  }

  /// The names that a file has; none where there is no file.
  private func known(_ path: String) throws(EngineError) -> [String] {
    for file in context.world.environment.directoryFiles() {
      switch file {
      case .trusted(path, let names): return names
      case .ignored(path, let reason), .unusable(path, let reason):
        throw .selection(.directoryFile(path: path, reason: reason))
      case .trusted, .ignored, .unusable: break
      }
    }
    return []
  }
}
