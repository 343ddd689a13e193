package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Changes the settings of another program so that it asks acct.
///
/// A change is planned first, so that it can be shown. It is recorded before the file is written: a process that is killed
/// in between leaves a record of a change that was not made, which undoing it finds out.
package struct SetUpProgram: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Plans a setup; nothing is changed yet.
  ///
  /// - Returns: The plan; without edits if the program asks acct already.
  package func plan(
    _ program: SetupProgram,
    _ host: SetupHost?,
    role: SetupRole? = nil
  ) async throws(EngineError) -> SetupPlan {
    let settings = try program.settings(host, context, role: role)
    guard context.world.programs.exists(settings.name) else {
      throw .setup(.missingName(settings.name, program))
    }
    var plan = SetupPlan(program, role?.profile ?? host?.text)
    if let role, !role.account.origins.contains(role.service) { plan.allowed = (role.account, role.service) }
    let file = try context.settingsFile(try await settings.path())
    if let edited = try await settings.adding(to: file.contents) {
      var edit = SetupPlan.Edit(file, edited.contents, edited.changes)
      edit.lost = edit.diff.lost(replacing: edited.changes.compactMap(\.replaced))
      if edit.obstacle != nil {
        // Without what the program's tool lays out anew.
        let base = try await settings.removing(edited.changes, from: edited.contents) ?? file.contents
        edit.byHand = LineDiff(from: base, to: edited.contents).linesToAdd
      }
      plan.edits.append(edit)
    }
    if let script = try settings.script() {
      plan.edits.append(SetupPlan.Edit(try context.settingsFile(script.path), Secret(script.text), [], isProgram: true))
    }
    // Without a change only those that contradict the setting matter.
    plan.remarks = try await settings.remarks(file.contents).filter { !plan.edits.isEmpty || $0.isOverruling }
    return plan
  }

  /// Carries out a plan.
  ///
  /// - Throws: ``SetupError/file(_:)``; what was not changed then can be done, or undone, by the same command again.
  package func carryOut(_ plan: SetupPlan) async throws(EngineError) {
    // A setting that acct did not make is not recorded, so that it is not undone.
    guard plan.isUndo || !plan.isEmpty else { return }
    if let edit = plan.obstructed, let obstacle = edit.obstacle {
      throw .setup(.notOurs(path: edit.path, obstacle, isUndo: plan.isUndo))
    }
    if !plan.isUndo, plan.edits.isEmpty { return try await allow(plan) }
    try await context.world.files.withLock(.setups, waiting: 30, failure: { .files(.failed($0)) }) {
      () async throws(EngineError) in
      var records = try context.setupRecords()
      if let undone = plan.undone {
        for edit in plan.edits { try context.write(edit) }
        records.removeAll { undone.contains($0) }
        try context.store(records)
        return
      }
      var record = SetupRecord(plan, context.world.entropy)
      if let index = records.lastIndex(where: { $0.program == plan.program && $0.host == plan.host }) {
        record.add(records.remove(at: index))
      }
      try context.store(records + [record])
      for edit in plan.edits { try context.write(edit) }
    }
    try await allow(plan)
  }

  private func allow(_ plan: SetupPlan) async throws(EngineError) {
    guard let allowed = plan.allowed else { return }
    _ = try await ChangeAccounts(context).allow(Place(allowed.origin), for: allowed.account)
  }

  /// The state of a program's settings.
  package func state(of program: SetupProgram) async -> SetupState {
    do throws(EngineError) {
      let settings = try program.settings(nil, context)
      let contents = try context.settingsFile(try await settings.path()).contents
      let edited = try await settings.adding(to: contents)
      if edited?.wasSetUp ?? true, try settings.script() == nil {
        let pending = (edited?.changes ?? []).map { SetupRemark.pending($0, program) }
        let overruling = pending + (try await settings.remarks(contents)).filter(\.isOverruling)
        return overruling.isEmpty ? .setUp : .overruled(overruling)
      }
    } catch  where error.setup == .notInstalled(program) {
      return .notInstalled
    } catch  where error.setup?.leavesProgramAlone ?? false {
      return .notSetUp
    } catch {
      return .failed(error)
    }
    do throws(EngineError) {
      let hosts = try context.setupRecords().filter { $0.program == program }.compactMap(\.host)
      return hosts.isEmpty ? .notSetUp : .setUpFor(hosts: hosts)
    } catch {
      return .failed(error)
    }
  }
}

extension EngineContext {
  /// - Throws: ``SetupError/file(_:)``.
  func settingsFile(_ path: String) throws(EngineError) -> SettingsFile {
    do { return try world.foreignFiles.settings.read(path, SettingsTool.limit) } catch { throw .setup(.file(error)) }
  }

  fileprivate func write(_ edit: SetupPlan.Edit) throws(EngineError) {
    do {
      try world.foreignFiles.settings.replace(edit.file, edit.contents, edit.isProgram, edit.folders)
    } catch {
      throw .setup(.file(error))
    }
  }
}

extension SetupPlan.Edit {
  init(_ file: SettingsFile, _ contents: Secret?, _ changes: [SettingChange], isProgram: Bool = false) {
    self.init(file: file, contents: contents, folders: file.missingFolders, isProgram: isProgram, changes: changes)
  }
}

extension SetupRecord {
  fileprivate init(_ plan: SetupPlan, _ entropy: Entropy) {
    program = plan.program
    host = plan.host
    changes = plan.edits.flatMap(\.changes).map { $0.recorded(of: plan.program) }
    files = plan.edits.map { edit in
      File(
        path: edit.path,
        folders: edit.folders,
        change: FileChange(edit.diff, salt: edit.isProgram ? [] : entropy.bytes(16)),
        isProgram: edit.isProgram
      )
    }
  }

  /// Adds what an earlier setup, which was interrupted or partly taken back, has done beside this one.
  fileprivate mutating func add(_ earlier: SetupRecord) {
    files = earlier.files.filter { !files.contains($0) } + files
    changes = earlier.changes.filter { change in !changes.contains { $0.name == change.name } } + changes
  }
}
