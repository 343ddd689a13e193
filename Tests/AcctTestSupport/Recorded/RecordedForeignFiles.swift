package import AcctModel
package import AcctPorts
import Secrets
import Synchronization

/// Files of other programs, in memory.
package final class RecordedForeignFiles: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var exposed: Set<String> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// A file's contents as text.
  package subscript(path: String) -> String? {
    get { state.withLock { $0.files[path].map { String(decoding: $0, as: UTF8.self) } } }
    set { state.withLock { $0.files[path] = newValue.map { Array($0.utf8) } } }
  }

  /// The file where a program looks for it.
  package subscript(program: OtherProgram) -> String? {
    get { self[Self.path(of: .credentials(program))] }
    set { self[Self.path(of: .credentials(program))] = newValue }
  }

  /// Makes a file one that others can read.
  package func expose(_ path: String) { _ = state.withLock { $0.exposed.insert(path) } }

  /// The place of a file in this world.
  package static func path(of file: ForeignFile) -> String {
    switch file {
    case .credentials(let program): "/home/\(program.rawValue)"
    case .cargoSettings: "/home/cargo.config"
    }
  }

  /// The files as a command gets them.
  package var port: ForeignFiles {
    ForeignFiles(
      places: { [Self.path(of: $0)] },
      read: { path, limit throws(SecretFileFailure) in
        let (bytes, isExposed) = self.state.withLock { ($0.files[path], $0.exposed.contains(path)) }
        guard let bytes else { throw .missing(path: path) }
        guard bytes.count <= limit else { throw .failed(path: path, reason: "file too large") }
        return ForeignContents(Secret(bytes), isExposed: isExposed)
      },
      names: { folder in
        self.state.withLock { state in
          state.files.keys.filter { $0.hasPrefix("\(folder)/") }.map { String($0.dropFirst(folder.count + 1)) }
        }
      }
    )
  }
}
