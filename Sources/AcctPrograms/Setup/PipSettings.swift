import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// pip's keyring provider, changed by `pip config`, and the command `keyring` that it runs.
struct PipSettings: ProgramSettings {
  private let tool: SettingsTool

  init(_ tool: SettingsTool) { self.tool = tool }

  let name = "acct"
  private static let key = "global.keyring-provider"
  private static let value = "subprocess"
  private static let command = "keyring"

  func path() -> String { tool.places.first ?? "" }

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    let (after, change) = try await onCopy(contents) { (variables) async throws(EngineError) -> SettingChange? in
      let earlier = try await value(variables)
      guard earlier != Self.value else { return nil }
      try await tool.require(["config", "--user", "set", Self.key, Self.value], variables)
      return SettingChange(Self.key, Self.value, replacing: earlier)
    }
    return change.map { EditedSettings(after, [$0]) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret? {
    let (after, isChanged) = try await onCopy(contents) { (variables) async throws(EngineError) -> Bool in
      guard let change = changes.first(where: { $0.name == Self.key }), try await value(variables) == Self.value
      else { return false }
      let words = change.replaced.map { ["set", Self.key, $0] } ?? ["unset", Self.key]
      try await tool.require(["config", "--user"] + words, variables)
      return true
    }
    return isChanged ? after : nil
  }

  /// The command `keyring` that pip finds first has to be acct.
  func script() throws(EngineError) -> ScriptFile? {
    let world = tool.context.world
    let folders = (world.environment.variable("PATH") ?? "").split(separator: ":").map(String.init)
    for folder in folders {
      let path = "\(folder)/\(Self.command)"
      do throws(SecretFileFailure) {
        let contents = try world.foreignFiles.read(path, SettingsTool.limit).secret
        guard KeyringScript.isOne(contents) else { throw .exists(path: path) }
        return nil
      } catch {
        guard case .missing = error else { throw .setup(.otherProgram(path: path)) }
      }
    }
    guard let path = world.places(of: .userProgram(Self.command)).first,
      let folder = path.lastIndex(of: "/").map({ String(path[..<$0]) })
    else { return nil }
    guard folders.contains(folder) else { throw .setup(.folderNotSearched(path: folder)) }
    return ScriptFile(path: path, text: KeyringScript.text)
  }

  /// pip's other files, as it lists them: the one that `PIP_CONFIG_FILE` names and the environment's come before the user's,
  /// and a command's own section before `global`.
  func remarks(_ contents: Secret?) async throws(EngineError) -> [SetupRemark] {
    let listed = try await tool.run(["config", "debug"])
    var (kind, file) = ("", "")
    var remarks = tool.variables(["PIP_KEYRING_PROVIDER"])
    for line in listed.status == 0 ? listed.output.lines : [] {
      let text = String(line.drop { $0 == " " })
      switch line.count - text.count {
      case 0: kind = text
      case 2: file = text.firstRange(of: ", exists:").map { String(text[..<$0.lowerBound]) } ?? text
      default:
        let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
        guard parts[0].hasSuffix(".keyring-provider"), parts.last != Self.value, kind != "global:" else { continue }
        if kind != "user:" || parts[0] != Self.key { remarks.append(.overruled(setting: parts[0], place: file)) }
      }
    }
    return remarks
  }

  private func value(_ variables: [String]) async throws(EngineError) -> String? {
    let result = try await tool.run(["config", "--user", "get", Self.key], variables)
    switch result.status {
    case 0: return result.output.lines.first
    case 1: return nil
    default: throw tool.unreadable(result, path())
    }
  }

  /// A copy at the place where pip looks for the user's file.
  private func onCopy<Result>(
    _ contents: Secret?,
    _ body: (_ variables: [String]) async throws(EngineError) -> Result
  ) async throws(EngineError) -> (contents: Secret, result: Result) {
    try await tool.onCopy(of: contents, named: "pip/pip.conf") { (copy) async throws(EngineError) in
      try await body(["-u", "PIP_CONFIG_FILE", "XDG_CONFIG_HOME=\(copy.dropLast("/pip/pip.conf".utf8.count))"])
    }
  }
}
