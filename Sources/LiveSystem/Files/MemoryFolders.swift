package import AcctPorts
import PrivateFiles

/// Folders for files with secrets that another program reads while this process runs: in memory, never on a disk.
package struct MemoryFolders: Sendable {
  private let variable: @Sendable (_ name: String) -> String?

  /// Looks at nothing yet.
  ///
  /// - Parameter variable: Returns an environment variable, and `nil` for one that is empty.
  package init(_ variable: @escaping @Sendable (_ name: String) -> String?) { self.variable = variable }

  /// The places for such a folder, the best first.
  ///
  /// The last one may differ from process to process: a leftover in it is not always found.
  private var places: [String] {
    [absoluteOnly(variable("XDG_RUNTIME_DIR")), "/dev/shm", absoluteOnly(variable("TMPDIR"))].compactMap(\.self)
  }

  /// Makes a folder, which a signal that ends this process deletes, and deletes those that dead processes have left.
  ///
  /// - Returns: The folder.
  /// - Throws: ``MemoryFolderFailure``, with the reason against the best place.
  package func make() throws(MemoryFolderFailure) -> HeldFolder {
    sweep()
    var failure: MemoryFolderFailure?
    for place in places {
      do throws(PrivateFilesError) {
        let folder = try MemoryFolder(in: place)
        deleteOnSignals(folder)
        return HeldFolder(path: folder.path) { delete(folder) }
      } catch {
        failure = failure ?? MemoryFolderFailure(error)
      }
    }
    throw failure ?? MemoryFolderFailure(path: "/dev/shm", reason: "")
  }

  /// Deletes the folders that dead processes have left, and returns their number.
  @discardableResult
  package func sweep() -> Int { Set(places).reduce(0) { $0 + MemoryFolder.sweep($1) } }
}

extension MemoryFolderFailure {
  fileprivate init(_ error: PrivateFilesError) {
    switch error {
    case .failed(let path, let reason), .unsafe(let path, let reason): self.init(path: path, reason: reason)
    case .busy(let path): self.init(path: path, reason: "it is in use")
    }
  }
}
