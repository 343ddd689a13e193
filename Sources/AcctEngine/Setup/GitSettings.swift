import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// git's credential helper, changed by `git config`.
struct GitSettings: ProgramSettings {
  private let tool: SettingsTool
  private let host: SetupHost?

  init(_ tool: SettingsTool, _ host: SetupHost?) {
    self.tool = tool
    self.host = host
  }

  let name = "git-credential-acct"
  /// What git makes that name of.
  private static let helper = "acct"

  private var key: String { host.map { "credential.\($0.origin).helper" } ?? "credential.helper" }

  func path() throws(EngineError) -> String { try tool.existing(else: tool.places.first) }

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    let (after, change) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> SettingChange? in
      // An empty value ends the list of those before it.
      let values = try await values(of: key, in: copy)
      let active = values[(values.lastIndex(of: "").map { $0 + 1 } ?? 0)...]
      guard !active.contains(where: Self.isAcct) else { return nil }
      var change = SettingChange(key, Self.helper)
      if host != nil {
        // For one host acct is asked alone: another helper would keep the tokens that it gives.
        try await tool.require(["config", "--file", copy, "--add", key, ""])
        if !active.isEmpty { change.replaced = active.joined(separator: ", ") }
      }
      try await tool.require(["config", "--file", copy, "--add", key, Self.helper])
      return change
    }
    return change.map { EditedSettings(after, [$0]) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret? {
    let (after, isChanged) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> Bool in
      var isChanged = false
      for change in changes {
        let values = try await values(of: change.name, in: copy)
        guard let index = values.lastIndex(of: Self.helper) else { continue }
        isChanged = true
        let key = change.name
        let hasOwnReset = key != "credential.helper" && index > 0 && values[index - 1].isEmpty
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
    guard host == nil else { return [] }
    let others = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) in
      try await values(of: key, in: copy)
    }.result
    let active = others[(others.lastIndex(of: "").map { $0 + 1 } ?? 0)...].filter { !Self.isAcct($0) }
    return active.isEmpty ? [] : [.askedFirst(active)]
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

  private static func isAcct(_ value: String) -> Bool {
    let words = value.drop { $0 == "!" }.split(separator: " ")
    return words.first?.split(separator: "/").last.map { $0 == helper || $0 == "git-credential-acct" } ?? false
  }
}
