import AcctModel
package import AcctPorts
import PrivateFiles

extension FolderMaintenance {
  /// Looks after the files in these folders, and after those in memory.
  package static func live(_ folders: Folders, _ memory: MemoryFolders) -> FolderMaintenance {
    FolderMaintenance(
      survey: { () throws(FilesFailure) in
        var files: Set<SurveyedFile> = []
        for root in folders.roots {
          do throws(PrivateFilesError) {
            for entry in try root.survey(depth: 3) { files.insert(folders.surveyed(entry)) }
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
      sweep: { memory.sweep() }
    )
  }
}

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
