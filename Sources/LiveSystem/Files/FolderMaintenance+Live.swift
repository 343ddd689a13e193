import AcctModel
package import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Secrets

extension FolderMaintenance {
  /// Looks after the files in these folders, and after those in memory.
  package static func live(_ folders: Folders, _ memory: MemoryFolders) -> FolderMaintenance {
    FolderMaintenance(
      survey: { () throws(FilesFailure) in
        var files: Set<SurveyedFile> = []
        let links = (folders.roots + folders.kept).map(\.path)
        for root in folders.roots {
          do throws(PrivateFilesError) {
            for entry in try root.survey(depth: 3, through: links) { files.insert(folders.surveyed(entry)) }
          } catch {
            throw FilesFailure(error)
          }
        }
        return Array(files)
      },
      close: { file throws(FilesFailure) in
        do throws(PrivateFilesError) { try closeToOthers(file.path) } catch { throw FilesFailure(error) }
      },
      discard: { file throws(FilesFailure) in
        let parts = file.path.split(separator: "/")
        guard let name = parts.last else { return }
        let folder = PrivateFolder(at: "/" + parts.dropLast().joined(separator: "/"))
        do throws(PrivateFilesError) {
          try folder.discard(String(name), modifiedAt: Int(file.modifiedAt.secondsSince1970))
        } catch {
          throw FilesFailure(error)
        }
      },
      sweep: { memory.sweep() },
      roots: folders.roots.map(\.path),
      obstacle: { path in foundObstacle(in: path) }
    )
  }
}

/// The check of the file system; `nil` where it can't be asked.
private func foundObstacle(in path: String) -> (FolderObstacle, device: UInt)? {
  var path = path[...]
  var status = stat()
  while unsafe stat(String(path), &status) != 0 {
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
    path = path[..<slash]
  }
  var system = statfs()
  guard unsafe statfs(String(path), &system) == 0 else { return nil }
  guard system.f_flags & readOnly == 0 else { return (.readOnly, status.st_dev) }
  // A file system such as tmpfs without limits has no blocks at all.
  let isFull = system.f_blocks > 0 && system.f_bavail < (1 << 20) / UInt(max(1, system.f_bsize))
  return isFull || system.f_files > 0 && system.f_ffree == 0 ? (.full, status.st_dev) : nil
}

/// Of `f_flags` of statfs(2).
private let readOnly = 1

extension Folders {
  fileprivate func surveyed(_ entry: SurveyEntry) -> SurveyedFile {
    SurveyedFile(
      path: entry.path,
      role: role(of: entry.path),
      kind: SurveyedFile.Kind(entry.status.kind),
      mode: entry.status.mode,
      isOwn: entry.status.isOwn,
      modifiedAt: Timestamp(clamped: Int64(entry.status.modifiedAt))
    )
  }

  private func role(of path: String) -> SurveyedFile.Role {
    let name = path.split(separator: "/").last ?? ""
    if PrivateFolder.isTemporary(name) { return .temporary }
    if hints.contains(where: { path.hasPrefix("\($0.path)/") }) { return .hint }
    if path == locks.path(of: String(name)), let lock = Lock(named: String(name)) { return .lock(lock) }
    return .other
  }
}

extension SurveyedFile.Kind {
  fileprivate init(_ kind: FileStatus.Kind) {
    self =
      switch kind {
      case .regular: .regular
      case .folder: .folder
      case .link: .link
      case .other: .other
      }
  }
}

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
