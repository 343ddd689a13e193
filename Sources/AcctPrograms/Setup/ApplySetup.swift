package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets
import StrictJSON

/// Changes the settings of another program so that it asks acct.
///
/// A change is planned first, so that it can be shown. It is recorded before the file is written: a process that is killed
/// in between leaves a record of a change that was not made, which undoing it finds out.
package struct ApplySetup: Sendable {
  let context: EngineContext

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

/// The changes of a setup, to be shown before they are made.
package struct SetupPlan: Sendable {
  package let program: SetupProgram
  /// The host that it is for, as the user gave it; `nil` for all.
  package let host: String?
  package var edits: [Edit] = []
  package var remarks: [SetupRemark] = []
  /// The account that gets one more origin, and that origin.
  package var allowed: (account: Account, origin: Origin)?
  /// The recorded changes that it undoes; `nil` for a setup.
  var undone: [SetupRecord]?
  /// `true` while each file gets back the bytes that it had.
  package internal(set) var restoresBytes = true
  /// Lines that an earlier change took out of a file that was written since, and that undoing it does not bring back.
  package internal(set) var notRestored: [String] = []

  init(_ program: SetupProgram, _ host: String?) {
    self.program = program
    self.host = host
  }

  package var isUndo: Bool { undone != nil }
  /// `true` if the program does not ask acct in spite of its setting, at least for some servers.
  package var isOverruled: Bool { remarks.contains(where: \.isOverruling) }
  package var isEmpty: Bool { edits.isEmpty && allowed == nil }
  /// The lines that are not acct's, and that the program's tool drops.
  package var lost: [String] { edits.flatMap(\.lost) }
  /// The first edit of a file that is not the user's to write; then nothing is changed.
  package var obstructed: Edit? { edits.first { $0.obstacle != nil } }

  /// A file that is changed.
  package struct Edit: Sendable {
    var file: SettingsFile
    /// The new contents; `nil` to remove the file.
    var contents: Secret?
    /// The folders that are made for it, or are removed with it.
    var folders: [String]
    /// `true` for a program that acct writes, not a file of settings.
    package var isProgram: Bool
    /// The settings that are changed in it, or changed back.
    package var changes: [SettingChange]
    /// The lines that are not acct's, and that the program's tool drops.
    package internal(set) var lost: [String] = []
    /// The lines to write where acct does not.
    package internal(set) var byHand: [String] = []

    package var path: String { file.path }
    package var isRemoval: Bool { contents == nil }
    package var diff: LineDiff { LineDiff(from: file.contents, to: contents) }

    package var obstacle: SettingsFile.Obstacle? {
      file.obstacle ?? (file.contents?.isGenerated == true && !isProgram ? .generated : nil)
    }
  }
}

/// The state of a program's settings.
package enum SetupState: Equatable, Sendable {
  case notInstalled
  case notSetUp
  /// The program asks acct.
  case setUp
  /// The program asks acct for these hosts.
  case setUpFor(hosts: [String])
  /// The program would ask acct if other settings did not decide.
  case overruled([SetupRemark])
  /// The settings can't be read.
  case failed(EngineError)
}

/// A change of a program's settings, as it is recorded to be undone.
package struct SetupRecord: Equatable, Sendable {
  package var program: SetupProgram
  /// The host that it is for, as the user gave it; `nil` for all.
  package var host: String?
  package var changes: [SettingChange]
  var files: [File]

  /// A file that was changed.
  struct File: Equatable, Sendable {
    var path: String
    /// The folders that were made for it, the outermost first.
    var folders: [String]
    var change: FileChange
    /// `true` for a program that acct wrote, not a file of settings.
    var isProgram: Bool
  }
}

extension EngineContext {
  /// The recorded changes, in the order in which they were made; a damaged record counts as none.
  func setupRecords() throws(EngineError) -> [SetupRecord] {
    try setups().records("setups").compactMap(SetupRecord.init)
  }

  /// The `.env` files whose values are references now.
  func envRewrites() throws(EngineError) -> [EnvRewrite] { try setups().records("env").compactMap(EnvRewrite.init) }

  private func setups() throws(EngineError) -> JSONObject {
    // A record of a whole file that its program wrote anew is long.
    do { return try world.files.members(of: .setups, limit: 1 << 24) ?? JSONObject() } catch {
      throw .files(.failed(error))
    }
  }

  /// Replaces the records of setups.
  func store(_ records: [SetupRecord]) throws(EngineError) { try store(records, envRewrites()) }

  /// Replaces all records but those of a later version of acct, which alone can undo them; without any, their file is
  /// removed.
  func store(_ records: [SetupRecord], _ rewrites: [EnvRewrite]) throws(EngineError) {
    var file = try setups()
    let foreign = file.records("setups").filter { SetupRecord($0) == nil }
    let foreignRewrites = file.records("env").filter { EnvRewrite($0) == nil }
    file["version"] = 1
    file["setups"] = .array(records.map(\.json) + foreign)
    file["env"] = .array(rewrites.map(\.json) + foreignRewrites)
    do throws(FilesFailure) {
      if file.allSatisfy({ $0.value == 1 || $0.value == .array([]) }) {
        try world.files.remove(.setups)
      } else {
        try world.files.replace(.setups, JSON.object(file).serialized())
      }
    } catch {
      throw .files(.failed(error))
    }
  }
}

extension JSONObject {
  fileprivate func records(_ member: String) -> [JSON] { self[member]?.arrayValue ?? [] }
}

extension SetupRecord {
  fileprivate var json: JSON {
    [
      "program": .string(program.rawValue), "host": JSON(host),
      "changes": .array(
        changes.map { ["name": .string($0.name), "value": .string($0.value), "replaced": JSON($0.replaced)] }
      ),
      "files": .array(
        files.map {
          [
            "path": .string($0.path), "folders": .array($0.folders.map(JSON.string)), "change": $0.change.json,
            "program": .bool($0.isProgram),
          ]
        }
      ),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let object = json.objectValue, let program = object["program"]?.stringValue.flatMap(SetupProgram.init)
    else { return nil }
    self.program = program
    host = object["host"]?.stringValue
    changes = (object["changes"]?.arrayValue ?? []).compactMap { json in
      guard let change = json.objectValue, let name = change["name"]?.stringValue,
        let value = change["value"]?.stringValue
      else { return nil }
      return SettingChange(name, value, replacing: change["replaced"]?.stringValue).recorded(of: program)
    }
    files = (object["files"]?.arrayValue ?? []).compactMap { json in
      guard let file = json.objectValue, let path = file["path"]?.stringValue, let change = FileChange(file["change"])
      else { return nil }
      let folders = (file["folders"]?.arrayValue ?? []).compactMap(\.stringValue)
      return File(path: path, folders: folders, change: change, isProgram: file["program"]?.boolValue ?? false)
    }
    guard files.count == object["files"]?.arrayValue?.count ?? 0 else { return nil }
  }
}

extension SettingChange {
  /// The change without what taking it back does not need: git keeps its other helpers, which may have passwords in them.
  func recorded(of program: SetupProgram) -> SettingChange {
    SettingChange(name, value, replacing: program == .git ? nil : replaced)
  }
}
