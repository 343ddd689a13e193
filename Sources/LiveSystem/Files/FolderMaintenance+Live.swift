import AcctModel
package import AcctPorts
import CLinux
import Glibc
import PrivateFiles

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
