package import AcctPorts
import Synchronization

/// The user's own descriptions of servers, in memory.
package final class RecordedProviderFiles: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var failures: [String: FilesFailure] = [:]
  }

  private let state = Mutex(State())

  /// A file's contents as text.
  package subscript(name: String) -> String? {
    get { state.withLock { $0.files[name].map { String(decoding: $0, as: UTF8.self) } } }
    set { state.withLock { $0.files[name] = newValue.map { Array($0.utf8) } } }
  }

  /// Lets a file be rejected whenever it is read.
  package func fail(_ name: String, _ failure: FilesFailure) {
    state.withLock {
      $0.files[name] = []
      $0.failures[name] = failure
    }
  }

  /// The files as a command gets them.
  package var port: ProviderFiles {
    ProviderFiles(
      names: { () throws(FilesFailure) in self.state.withLock { Array($0.files.keys) } },
      read: { name throws(FilesFailure) in
        let (failure, bytes) = self.state.withLock { ($0.failures[name], $0.files[name]) }
        if let failure { throw failure }
        return bytes.map { ProviderFiles.File($0, at: "/config/\(name).json") }
      },
      path: { "/config/\($0).json" }
    )
  }
}
