import Secrets
package import AcctPorts
import Synchronization

/// Remembers the program that a command wanted to become.
package final class RecordedExec: Sendable {
  /// A command line, and the variables that are added to the environment, one a line.
  package struct Call: Equatable, Sendable {
    package let command: [String]
    package let assignment: String

    package init(command: [String], assignment: String) {
      self.command = command
      self.assignment = assignment
    }
  }

  private let state = Mutex<(calls: [Call], failure: ExecFailure?)>(([], nil))

  package var calls: [Call] { state.withLock { $0.calls } }

  /// Makes every program fail to run.
  package func fail(with failure: ExecFailure) { state.withLock { $0.failure = failure } }

  /// The way to run programs as a command gets it; nothing is run.
  package var port: Exec {
    Exec {
      PreparedExec(
        find: { _ throws(ExecFailure) in
          if let failure = self.state.withLock({ $0.failure }) { throw failure }
        },
        attended: self.attended
      ) { command, variables throws(ExecFailure) in
        try self.state.withLock { state throws(ExecFailure) in
          if let failure = state.failure { throw failure }
          let assignments = variables.map { name, value in
            let text = value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
            return "\(name)=\(text)"
          }
          state.calls.append(Call(command: command, assignment: assignments.joined(separator: "\n")))
        }
      }
    }
  }

  /// The folder that a command gets for its token files; `nil` once it was removed.
  package var folder: String? { attendance.withLock { $0.folder } }

  /// Runs this in place of each program that a command waits for; it returns the exit status.
  package func attend(_ run: @escaping @Sendable (_ variables: [String: String]) async -> Int32) {
    attendance.withLock { $0.run = run }
  }

  private let attendance = Mutex<Attendance>(Attendance())

  private struct Attendance {
    var folder: String?
    var folderFailure: MemoryFolderFailure?
    var run: @Sendable ([String: String]) async -> Int32 = { _ in 0 }
  }

  /// Leaves no place for such a folder.
  package func failFolder(with failure: MemoryFolderFailure) { attendance.withLock { $0.folderFailure = failure } }

  private var attended: AttendedExec {
    AttendedExec(
      makeFolder: { () throws(MemoryFolderFailure) in
        let path = "/run/made-up"
        try self.attendance.withLock { attendance throws(MemoryFolderFailure) in
          if let failure = attendance.folderFailure { throw failure }
          attendance.folder = path
        }
        return HeldFolder(path: path) { self.attendance.withLock { $0.folder = nil } }
      }
    ) { command, variables throws(ExecFailure) in
      if let failure = self.state.withLock({ $0.failure }) { throw failure }
      let run = self.attendance.withLock { $0.run }
      return { await run(Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })) }
    }
  }
}
