package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Plans to take back what setups have changed.
///
/// A file that nothing has written since gets its earlier contents, byte for byte. From another one only the settings that
/// acct made are taken out.
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
      for file in record.files.reversed() {
        let isRestored = try await undo(file, of: record)
        plan.restoresBytes = plan.restoresBytes && isRestored
      }
    }
    plan.edits = files.filter(\.isChanged).map(\.edit)
    return plan
  }

  /// Returns `true` if the file gets back its earlier bytes, or has them.
  private mutating func undo(_ file: SetupRecord.File, of record: SetupRecord) async throws(EngineError) -> Bool {
    let index: Int
    if let known = files.firstIndex(where: { $0.edit.path == file.path }) {
      index = known
    } else {
      index = files.count
      let there = try context.settingsFile(file.path)
      files.append((SetupPlan.Edit(there, there.contents, [], isProgram: file.isProgram), false))
    }
    let contents = files[index].edit.contents
    guard file.change.position(of: contents) != .before else { return true }
    let changes = file.isProgram ? [] : record.changes
    let earlier = file.change.undone(contents)
    if let earlier {
      files[index].edit.contents = earlier.contents
      if earlier.contents == nil { files[index].edit.folders = file.folders }
    } else {
      guard let contents, !file.isProgram,
        let without = try await record.program.settings(nil, context).removing(changes, from: contents)
      else { return false }
      files[index].edit.contents = without
    }
    files[index].edit.changes += changes
    files[index].isChanged = true
    return earlier != nil
  }
}
