package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Plans to take back what setups have changed.
///
/// The diff of the change is applied backwards. Where its lines are not there any more, since another program has written
/// the file, only the settings that acct made are taken out.
package struct UndoSetup: Sendable {
  private let context: EngineContext
  /// The files on the way, by path.
  private var files: [(edit: SetupPlan.Edit, isChanged: Bool)] = []

  package init(_ context: EngineContext) { self.context = context }

  /// Plans it; nothing is changed yet.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - host: The host, or the profile, whose setup is undone; `nil` for all setups of the program.
  /// - Returns: The plan; `nil` if acct has not set the program up.
  /// - Throws: ``EngineError/setup(_:)``.
  package mutating func plan(_ program: SetupProgram, _ host: String?) async throws(EngineError) -> SetupPlan? {
    let records = try context.setupRecords().filter { $0.program == program && (host == nil || $0.host == host) }
    guard !records.isEmpty else { return nil }
    var plan = SetupPlan(program, host)
    plan.undone = records
    // The last first: each then finds the file as it left it.
    for record in records.reversed() {
      for file in record.files.reversed() { try await undo(file, of: record, in: &plan) }
    }
    plan.edits = files.filter(\.isChanged).map(\.edit)
    return plan
  }

  private mutating func undo(
    _ file: SetupRecord.File,
    of record: SetupRecord,
    in plan: inout SetupPlan
  ) async throws(EngineError) {
    let index: Int
    if let known = files.firstIndex(where: { $0.edit.path == file.path }) {
      index = known
    } else {
      index = files.count
      let there = try context.settingsFile(file.path)
      files.append((SetupPlan.Edit(there, there.contents, [], isProgram: file.isProgram), false))
    }
    let contents = files[index].edit.contents
    guard !file.change.isBefore(contents) else { return }
    let changes = file.isProgram ? [] : record.changes
    if let undone = file.change.undone(contents), try await isClean(undone, file, record) {
      files[index].edit.contents = undone.contents
      if undone.contents == nil { files[index].edit.folders = file.folders }
      plan.restoresBytes = plan.restoresBytes && undone.isExact
    } else {
      plan.restoresBytes = false
      guard let contents, !file.isProgram else { return }
      let settings = try record.program.settings(nil, context)
      guard let without = try await settings.removing(changes, from: contents) else { return }
      files[index].edit.contents = without
      let own = changes.flatMap { [$0.name, $0.value] }
      files[index].edit.lost += LineDiff(from: contents, to: without).lost(replacing: own, undoing: file.change)
      plan.notRestored += file.change.lost(in: without)
    }
    files[index].edit.changes += changes
    files[index].isChanged = true
  }

  /// Returns `true` if the program can read the file, and does not ask acct.
  private func isClean(
    _ undone: FileChange.Undone,
    _ file: SetupRecord.File,
    _ record: SetupRecord
  ) async throws(EngineError) -> Bool {
    guard let contents = undone.contents, !undone.isExact, !file.isProgram else { return true }
    do throws(EngineError) {
      return try await record.program.settings(nil, context).removing(record.changes, from: contents) == nil
    } catch  where error.setup == .notInstalled(record.program) {
      return true
    } catch .cancelled {
      throw .cancelled
    } catch {
      return false
    }
  }
}
