import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// git's credential helper, changed by `git config`.
struct GitSettings: ProgramSettings {
  let tool: SettingsTool
  let host: SetupHost?

  let name = "git-credential-acct"
  /// The word in the setting, of which git makes that name.
  private static let helper = "acct"
  private static let general = "credential.helper"

  private var key: String { host.map { "credential.\($0.origin).helper" } ?? Self.general }

  func path() throws(EngineError) -> String { try tool.existing(else: tool.places.first) }

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    let (additions, _, wasSetUp) = try await planned()
    guard !additions.isEmpty else { return nil }
    let after = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) in
      for addition in additions { try await add(addition, to: copy) }
    }.contents
    return EditedSettings(after, additions.map(\.change), wasSetUp: wasSetUp)
  }

  /// Values that are added to one setting.
  private struct Addition {
    var change: SettingChange
    var values: [String]
    /// `true` for a section of their own at the end of the file, behind what it includes.
    var atEnd: Bool
  }

  /// The values to add, the helpers that git has then, and `true` if the setting was there before.
  private func planned() async throws(EngineError) -> (
    additions: [Addition], helpers: GitHelperList, wasSetUp: Bool
  ) {
    var helpers = try await helpers()
    let wasSetUp = helpers.entries.contains { $0.key == key && $0.isAcct }
    let file = try path()
    var additions: [Addition] = []
    func add(_ key: String, for origin: Origin?) {
      // For some servers acct is asked alone: another helper would keep the tokens that it gives.
      let values = key == Self.general ? [Self.helper] : ["", Self.helper]
      for atEnd in [false, true] where !helpers.asksAcct(for: origin) {
        var changed = helpers
        changed.add(values, to: key, in: file, atEnd: atEnd)
        // A setting that another file overrules is written once, and the file is told.
        let isWanted = atEnd && key == self.key && !helpers.entries.contains { $0.key == key && $0.isAcct }
        guard changed.asksAcct(for: origin) || isWanted else { continue }
        var change = SettingChange(key, Self.helper)
        let others = key == Self.general ? [] : helpers.active(for: origin).map(\.value)
        if !others.isEmpty { change.replaced = others.joined(separator: ", ") }
        additions.append(Addition(change: change, values: values, atEnd: atEnd))
        helpers = changed
        return
      }
    }
    add(key, for: host?.origin)
    for origin in try host == nil ? tool.origins() : [] {
      // A section of its own resets the list for a server.
      add(helpers.reset(for: origin)?.entry.key ?? Self.general, for: origin)
    }
    return (additions, helpers, wasSetUp)
  }

  private func add(_ addition: Addition, to copy: String) async throws(EngineError) {
    let key = addition.change.name
    guard addition.atEnd else {
      for value in addition.values { try await tool.require(["config", "--file", copy, "--add", key, value]) }
      return
    }
    // git itself would add to a section that is there.
    let section = key == Self.general ? "" : " \"\(key.dropFirst("credential.".count).dropLast(".helper".count))\""
    let lines = addition.values.map { "\thelper = \($0)\n" }.joined()
    try tool.append("[credential\(section)]\n\(lines)")
  }

  /// The helpers of all files that git reads outside of a repository.
  private func helpers() async throws(EngineError) -> GitHelperList {
    let options = ["--null", "--show-scope", "--show-origin", "--includes"]
    let pattern = #"^credential\.(.*\.)?helper$"#
    let result = try await tool.run(["-C", "/", "config"] + options + ["--get-regexp", pattern])
    switch result.status {
    case 0: return GitHelperList(result.output.values)
    case 1: return GitHelperList([])
    // A usage error, before 2.26.
    case 129: throw .setup(.tooOld(.git, setting: "--show-scope"))
    default: throw tool.unreadable(result, try path())
    }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret? {
    let (after, isChanged) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> Bool in
      var isChanged = false
      for change in changes {
        let values = try await values(of: change.name, in: copy)
        guard let index = values.lastIndex(of: Self.helper) else { continue }
        isChanged = true
        let key = change.name
        let hasOwnReset = key != Self.general && index > 0 && values[index - 1].isEmpty
        guard hasOwnReset, values.count(where: \.isEmpty) > 1 else {
          try await tool.require(["config", "--file", copy, "--unset-all", key, "^acct$"])
          if hasOwnReset { try await tool.require(["config", "--file", copy, "--unset-all", key, "^$"]) }
          continue
        }
        // Another program's empty value looks the same: the list is written without the two.
        try await tool.require(["config", "--file", copy, "--unset-all", key])
        for value in values[..<(index - 1)] + values[(index + 1)...] {
          try await tool.require(["config", "--file", copy, "--add", key, value])
        }
      }
      return isChanged
    }
    return isChanged ? after : nil
  }

  func remarks(_ contents: Secret?) async throws(EngineError) -> [SetupRemark] {
    let helpers = try await planned().helpers
    let others = helpers.active(for: nil).filter { !$0.isAcct }.map(\.value)
    var remarks: [SetupRemark] = host == nil && !others.isEmpty ? [.askedFirst(others)] : []
    let origins: [Origin?] = if let host { [host.origin] } else { [nil] + (try tool.origins()) }
    for origin in origins where !helpers.asksAcct(for: origin) {
      guard let (reset, number) = helpers.reset(for: origin) else { continue }
      let remark = SetupRemark.overruled(setting: reset.key, place: try place(of: reset, number))
      if !remarks.contains(remark) { remarks.append(remark) }
    }
    return remarks
  }

  /// The file of an entry, and its line; `nil` for the environment.
  private func place(of reset: GitHelperList.Entry, _ number: Int) throws(EngineError) -> String? {
    guard let path = reset.file else { return nil }
    let contents: Secret?
    do { contents = try tool.context.settingsFile(path).contents } catch  where error.setup != nil { contents = nil }
    guard let line = contents.flatMap({ GitHelperList.line(ofReset: number, in: $0) }) else { return path }
    return "\(path):\(line)"
  }

  private func values(of key: String, in copy: String) async throws(EngineError) -> [String] {
    // A value may have several lines.
    let result = try await tool.run(["config", "--file", copy, "--null", "--get-all", key])
    switch result.status {
    case 0: return result.output.values
    case 1: return []
    default: throw tool.unreadable(result, try path())
    }
  }
}
