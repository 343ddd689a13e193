import Secrets
package import AcctPorts
import Synchronization

/// Files that hold a secret and live in memory: passphrases for tests to provide, exports to read.
package final class RecordedSecretFiles: Sendable {
  private let files = Mutex<[String: [UInt8]]>([:])
  private let exposed = Mutex<Set<String>>([])
  private let pipes = Mutex<Set<String>>([])

  /// Makes a file one that others can read, or one for its user alone again.
  package func expose(_ path: String, _ isExposed: Bool = true) {
    exposed.withLock { if isExposed { $0.insert(path) } else { $0.remove(path) } }
  }

  /// Makes a file a FIFO.
  package func makeFIFO(_ path: String) { _ = pipes.withLock { $0.insert(path) } }

  /// A file's contents as text.
  package subscript(path: String) -> String? {
    get { files.withLock { $0[path].map { String(decoding: $0, as: UTF8.self) } } }
    set { files.withLock { $0[path] = newValue.map { Array($0.utf8) } } }
  }

  /// The files as a command gets them.
  package var port: SecretFiles {
    SecretFiles(
      read: { path, limit, _ throws(SecretFileFailure) in
        guard !self.exposed.withLock({ $0.contains(path) }) else {
          throw .exposed(path: path, reason: "its group or others can read or write it", chmod: "chmod 600 \(path)")
        }
        guard let bytes = self.files.withLock({ $0[path] }) else { throw .missing(path: path) }
        guard bytes.count <= limit else { throw .failed(path: path, reason: "file too large") }
        return Secret(bytes)
      },
      write: { path, secret, replacing throws(SecretFileFailure) in
        try self.files.withLock { files throws(SecretFileFailure) in
          guard replacing || files[path] == nil else { throw .exists(path: path) }
          files[path] = secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
      },
      exists: { path in self.files.withLock { $0[path] != nil } },
      isRegular: { path in !self.pipes.withLock { $0.contains(path) } }
    )
  }
}
