import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

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
    let bytes: [UInt8]
    do { bytes = try world.files.read(.setups) ?? [] } catch { throw .files(.failed(error)) }
    // A record of a whole file that its program wrote anew is long.
    let file = try? JSON(parsing: bytes, maximumBytes: 1 << 24)
    guard file?.objectValue?["version"]?.numberValue?.integer == 1 else { return [] }
    return (file?.objectValue?["setups"]?.arrayValue ?? []).compactMap(SetupRecord.init)
  }

  /// Replaces the records; without any, their file is removed.
  func store(_ records: [SetupRecord]) throws(EngineError) {
    let json: JSON = ["version": 1, "setups": .array(records.map(\.json))]
    do throws(FilesFailure) {
      if records.isEmpty {
        try world.files.remove(.setups)
      } else {
        try world.files.replace(.setups, json.serialized())
      }
    } catch {
      throw .files(.failed(error))
    }
  }
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
  }
}

extension SettingChange {
  /// The change without what taking it back does not need: git keeps its other helpers, which may have passwords in them.
  func recorded(of program: SetupProgram) -> SettingChange {
    SettingChange(name, value, replacing: program == .git ? nil : replaced)
  }
}
