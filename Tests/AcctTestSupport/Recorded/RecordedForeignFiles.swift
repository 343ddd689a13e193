package import AcctPorts
import Secrets
import Synchronization

/// Files of other programs, in memory.
package final class RecordedForeignFiles: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var exposed: Set<String> = []
    /// The settings that are not the user's to write.
    var obstacles: [String: SettingsFile.Obstacle] = [:]
    /// The settings that another user could have written.
    var distrusted: Set<String> = []
    var copies: [String: [UInt8]] = [:]
    /// How many writes succeed before the next one fails; `nil`: all.
    var writesLeft: Int?
  }

  private let state = Mutex(State())

  package init() {}

  /// A file's contents as text.
  package subscript(path: String) -> String? {
    get { state.withLock { $0.files[path].map { String(decoding: $0, as: UTF8.self) } } }
    set { state.withLock { $0.files[path] = newValue.map { Array($0.utf8) } } }
  }

  /// Makes a file one that others can read.
  package func expose(_ path: String) { _ = state.withLock { $0.exposed.insert(path) } }

  /// Makes a file one that other users can change.
  package func distrust(_ path: String) { _ = state.withLock { $0.distrusted.insert(path) } }

  /// Makes a file one that is not the user's to write; `nil`: it is.
  package func obstruct(_ path: String, _ obstacle: SettingsFile.Obstacle?) {
    state.withLock { $0.obstacles[path] = obstacle }
  }

  /// Lets a write of settings fail, after so many that succeed; `nil`: none fails.
  package func failWriting(after count: Int?) { state.withLock { $0.writesLeft = count } }

  /// The copies that programs change; empty when all is done.
  package var copies: [String] { state.withLock { $0.copies.keys.sorted() } }

  /// A copy, as a program reads and writes it.
  package subscript(copy path: String) -> String? {
    get { state.withLock { $0.copies[path].map { String(decoding: $0, as: UTF8.self) } } }
    set { state.withLock { $0.copies[path] = newValue.map { Array($0.utf8) } } }
  }

  /// The user's own folder, which has them.
  package static let home = "/home"

  /// The files as a command gets them.
  package var port: ForeignFiles {
    ForeignFiles(
      home: { Self.home },
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
      },
      settings: settings
    )
  }

  private var settings: SettingsFiles {
    SettingsFiles(
      read: { path, _ throws(SettingsFileFailure) in
        let (bytes, isDistrusted) = self.state.withLock { ($0.files[path], $0.distrusted.contains(path)) }
        guard !isDistrusted else { throw .distrusted(path: path, reason: "its group or others can write to it") }
        let obstacle = self.state.withLock { $0.obstacles[path] }
        return SettingsFile(path, bytes.map { Secret($0) }, obstacle: obstacle)
      },
      replace: { file, contents, _, _ throws(SettingsFileFailure) in
        try self.state.withLock { state throws(SettingsFileFailure) in
          guard state.writesLeft != 0 else { throw .failed(path: file.path, reason: "no space left on device") }
          state.writesLeft? -= 1
          guard state.files[file.path].map({ Secret($0) }) == file.contents else { throw .changed(path: file.path) }
          state.files[file.path] = contents?.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
      },
      copy: { name, contents in
        self.state.withLock {
          $0.copies["/run/\(name)"] = contents.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
        return "/run/\(name)"
      },
      readCopy: { name in Secret(self.state.withLock { $0.copies["/run/\(name)"] ?? [] }) },
      removeCopies: { self.state.withLock { $0.copies = [:] } }
    )
  }
}
