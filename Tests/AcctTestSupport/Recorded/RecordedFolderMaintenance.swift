package import AcctPorts
import Synchronization

/// Folders that a test lays out, and the changes to them.
package final class RecordedFolderMaintenance: Sendable {
  private let files = Mutex<[SurveyedFile]>([])

  /// What lies in acct's folders now.
  package var surveyed: [SurveyedFile] {
    get { files.withLock { $0 } }
    set { files.withLock { $0 = newValue } }
  }

  /// The folders with secrets that dead processes have left; a sweep deletes them.
  package var left: Int {
    get { leftovers.withLock { $0 } }
    set { leftovers.withLock { $0 = newValue } }
  }

  private let leftovers = Mutex(0)

  /// Why nothing can be written in folders.
  package var obstacles: [String: FolderObstacle] {
    get { hindered.withLock { $0 } }
    set { hindered.withLock { $0 = newValue } }
  }

  private let hindered = Mutex<[String: FolderObstacle]>([:])

  /// The folders as a command gets them.
  package var port: FolderMaintenance {
    FolderMaintenance(
      survey: { self.surveyed },
      close: { file in
        self.files.withLock { files in
          for index in files.indices where files[index] == file { files[index].mode &= 0o700 }
        }
      },
      discard: { file in self.files.withLock { $0.removeAll { $0 == file } } },
      sweep: {
        self.leftovers.withLock { left in
          defer { left = 0 }
          return left
        }
      },
      obstacle: { self.obstacles[$0].map { ($0, device: $0 == .full ? 1 : 0) } }
    )
  }
}
