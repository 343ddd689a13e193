import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// The user of a context in a kubeconfig, changed by `kubectl config`.
struct KubectlSettings: ProgramSettings {
  let tool: SettingsTool
  let host: SetupHost?

  /// The user that acct adds to the file.
  private static let user = "acct"

  /// Of several files, the one that has the context.
  func path() async throws(EngineError) -> String {
    let wanted = try await contexts()
    let places = tool.places
    for place in places where places.count > 1 {
      guard let contents = try tool.context.settingsFile(place).contents else { continue }
      let found = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) in
        try await view(["--kubeconfig", copy], of: place).contexts
      }.result
      if found.contains(where: { wanted.contains($0.name) }) { return place }
    }
    return places.first ?? ""
  }

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    let wanted = try await contexts()
    let all = try await view([], of: tool.places.first ?? "")
    let path = try await path()
    let (after, changes) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) in
      let view = try await view(["--kubeconfig", copy], of: path)
      var changes: [SettingChange] = []
      for context in view.contexts where wanted.contains(context.name) && !all.isAcct(context.user) {
        // Of several files, the first one that has a user counts.
        if changes.isEmpty, !all.isAcct(Self.user) { try await addUser(copy, all, path) }
        try await set(Self.user, in: context.name, copy)
        changes.append(SettingChange("contexts.\(context.name).user", Self.user, replacing: context.user))
      }
      return changes
    }
    return changes.isEmpty ? nil : EditedSettings(after, changes)
  }

  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret? {
    let (after, isChanged) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) -> Bool in
      var isChanged = false
      for context in try await view(["--kubeconfig", copy], of: copy).contexts {
        guard let change = changes.first(where: { $0.name == "contexts.\(context.name).user" }),
          context.user == change.value
        else { continue }
        isChanged = true
        try await set(change.replaced ?? "", in: context.name, copy)
      }
      let view = try await view(["--kubeconfig", copy], of: copy)
      // Another context may have been given the same user.
      guard view.isAcct(Self.user), !view.contexts.contains(where: { $0.user == Self.user }) else { return isChanged }
      try await tool.require(["--kubeconfig", copy, "config", "delete-user", Self.user])
      return true
    }
    return isChanged ? after : nil
  }

  /// The names of the contexts that are changed: the current one, or those of the clusters at the host.
  private func contexts() async throws(EngineError) -> [String] {
    let view = try await view([], of: tool.places.first ?? "")
    guard let host else {
      guard let current = view.current, view.contexts.contains(where: { $0.name == current }) else {
        throw .setup(.noContext)
      }
      return [current]
    }
    let contexts = view.contexts(at: host.origin)
    guard !contexts.isEmpty else { throw .setup(.unknownHost(host.text, .kubectl)) }
    return contexts.map(\.name)
  }

  private func addUser(_ copy: String, _ view: Kubeconfig, _ path: String) async throws(EngineError) {
    // A user of this name that acct has not added stays.
    guard !view.hasUser(Self.user) else { throw .setup(.malformed(path: path, .kubectl, .form("users.\(Self.user)"))) }
    let line = [
      "config", "set-credentials", Self.user, "--exec-command=acct", "--exec-arg=helper", "--exec-arg=kubectl",
      "--exec-api-version=client.authentication.k8s.io/v1", "--exec-interactive-mode=Never",
      "--exec-provide-cluster-info=true",
    ]
    try await tool.require(["--kubeconfig", copy] + line)
  }

  private func set(_ user: String, in context: String, _ copy: String) async throws(EngineError) {
    try await tool.require(["--kubeconfig", copy, "config", "set-context", "--user=\(user)", "--", context])
  }

  /// The settings without their secrets.
  private func view(_ options: [String], of path: String) async throws(EngineError) -> Kubeconfig {
    let result = try await tool.run(options + ["config", "view", "--output", "json"])
    guard result.status == 0 else { throw tool.unreadable(result, path) }
    do { return try Kubeconfig(result.output) } catch { throw .setup(.malformed(path: path, .kubectl, error)) }
  }
}
