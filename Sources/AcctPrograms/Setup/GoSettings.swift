import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// `GOAUTH` in the go command's own file, changed by `go env -w`.
struct GoSettings: ProgramSettings {
  private let tool: SettingsTool

  init(_ tool: SettingsTool) { self.tool = tool }

  let name = "acct"
  private static let setting = "GOAUTH"

  func path() throws(EngineError) -> String {
    // `off`: the user wants the go command to read no file.
    guard let place = tool.places.first, place.hasPrefix("/") else {
      throw .setup(.file(.failed(path: "GOENV", reason: tool.places.first ?? "")))
    }
    return place
  }

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    let (after, change) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> SettingChange? in
      let value = try await value(copy)
      // A version that knows the setting has a default for it.
      guard !value.isEmpty else { throw .setup(.tooOld(.go, setting: Self.setting)) }
      var list = GoAuthList(value)
      guard !list.hasAcct else { return nil }
      let isDefault = list.isDefault
      list.addAcct()
      try await tool.require(["env", "-w", "\(Self.setting)=\(list.value)"], variables(copy))
      return SettingChange(Self.setting, list.value, replacing: isDefault ? nil : value)
    }
    return change.map { EditedSettings(after, [$0]) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret? {
    let (after, isChanged) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> Bool in
      let value = try await value(copy)
      var list = GoAuthList(value)
      guard list.hasAcct else { return false }
      list.removeAcct()
      let earlier = changes.first { $0.value == value }?.replaced ?? list.value
      let isDefault = GoAuthList(earlier).isDefault
      let words = isDefault ? ["-u", Self.setting] : ["-w", "\(Self.setting)=\(earlier)"]
      try await tool.require(["env"] + words, variables(copy))
      return true
    }
    return isChanged ? after : nil
  }

  func remarks(_ contents: Secret?) -> [SetupRemark] {
    tool.variables([Self.setting])
  }

  private func value(_ copy: String) async throws(EngineError) -> String {
    let result = try await tool.run(["env", Self.setting], variables(copy))
    guard result.status == 0 else { throw tool.unreadable(result, try path()) }
    return result.output.lines.first ?? ""
  }

  /// Elsewhere than in the working directory, whose module may ask for another version of go.
  private func variables(_ copy: String) -> [String] {
    ["-C", "/", "-u", Self.setting, "GOTOOLCHAIN=local", "GOENV=\(copy)"]
  }
}
