package import AcctPorts
import PrivateFiles

extension Folders {
  /// Creates the folder for sockets if it is missing, and returns its path.
  ///
  /// - Returns: The path of the run folder.
  /// - Throws: ``ListenFailure/unusableSocket(path:reason:)``.
  @Sendable package func sockets() throws(ListenFailure) -> String {
    do throws(PrivateFilesError) { try run.prepare() } catch {
      switch error {
      case .failed(let path, let reason), .unsafe(let path, let reason):
        throw .unusableSocket(path: path, reason: reason)
      case .busy: throw .unusableSocket(path: run.path, reason: "it is in use")
      }
    }
    return run.path
  }
}
