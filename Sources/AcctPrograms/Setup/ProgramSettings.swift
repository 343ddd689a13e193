package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// The settings of one program: where they are, and how acct comes into them and goes again.
///
/// A type of this kind changes text only. ``ApplySetup`` reads and writes the file, records the change and undoes it, the
/// same for all programs. Where the program has a tool for its settings, that changes a copy of the file.
protocol ProgramSettings: Sendable {
  /// The program's own tool for them; for a program without one, the places of its files.
  var tool: SettingsTool { get }

  /// The name under which the program finds acct on `PATH`.
  var name: String { get }

  /// The file that the change is for.
  func path() async throws(EngineError) -> String

  /// Has the program ask acct.
  ///
  /// - Parameter contents: The file; `nil` if there is none.
  /// - Returns: The changed file; `nil` if the program asks acct already.
  /// - Throws: ``EngineError/setup(_:)``.
  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings?

  /// Takes back changes in a file that was written since.
  ///
  /// - Returns: The changed file; `nil` if nothing of them is there.
  func removing(_ changes: [SettingChange], from contents: Secret) async throws(EngineError) -> Secret?

  /// A program that acct has to write, too; `nil` if there is none to write.
  func script() throws(EngineError) -> ScriptFile?

  /// The facts that the user should know beside the change.
  func remarks(_ contents: Secret?) async throws(EngineError) -> [SetupRemark]
}

/// A program to write.
struct ScriptFile: Sendable {
  var path: String
  var text: String
}

/// A fact that the user should know beside a change.
package enum SetupRemark: Equatable, Sendable {
  /// git asks these helpers first, and has them keep the tokens that acct gives.
  case askedFirst([String])
  /// The logins of these servers are in docker's file, and not used any more.
  case unusedLogins([String])
  /// An environment variable decides instead of the setting.
  case variable(String)
  /// cargo gets a token only for origins that the user gave.
  case needsAllow
  /// This setting names another helper for some servers.
  case otherHelper(String)
  /// Another setting decides for some servers, and the next setup of the program makes this change there.
  case pending(SettingChange, SetupProgram)
  /// Something else decides instead of the setting: a setting, and its file and line; `nil` for the environment.
  case overruled(setting: String, place: String?)

  /// `true` if the program does not ask acct in spite of the setting.
  package var isOverruling: Bool {
    switch self {
    case .variable, .otherHelper, .pending, .overruled: true
    case .askedFirst, .unusedLogins, .needsAllow: false
    }
  }
}

extension ProgramSettings {
  var name: String { "acct" }
  func path() -> String { tool.places.first ?? "" }
  func script() throws(EngineError) -> ScriptFile? { nil }
  func remarks(_ contents: Secret?) async throws(EngineError) -> [SetupRemark] { [] }
}

extension SetupProgram {
  /// The names under which the program itself is called.
  var names: [String] {
    switch self {
    case .docker: ["docker", "podman"]
    case .pip: ["pip", "pip3"]
    case .terraform: ["terraform", "tofu"]
    case .git, .kubectl, .cargo, .go, .aws: [rawValue]
    }
  }

  /// - Throws: ``SetupError/notInstalled(_:)``, ``SetupError/everyHost(_:)``.
  func settings(
    _ host: SetupHost?,
    _ context: EngineContext,
    role: SetupRole? = nil
  ) throws(EngineError) -> any ProgramSettings {
    guard let name = names.first(where: context.world.programs.exists) else { throw .setup(.notInstalled(self)) }
    guard host == nil || takesHost else { throw .setup(.everyHost(self)) }
    let tool = SettingsTool(context: context, program: self, name: name)
    return switch self {
    case .git: GitSettings(tool: tool, host: host)
    case .docker: DockerSettings(tool: tool, host: host)
    case .kubectl: KubectlSettings(tool: tool, host: host)
    case .cargo: CargoSettings(tool: tool, host: host)
    case .go: GoSettings(tool: tool)
    case .pip: PipSettings(tool: tool)
    case .terraform: TerraformSettings(tool: tool)
    case .aws: AWSSettings(tool: tool, role: role)
    }
  }

  /// `true` if the setting can be for one host alone.
  private var takesHost: Bool {
    switch self {
    case .git, .docker, .kubectl, .cargo: true
    case .go, .pip, .terraform, .aws: false
    }
  }
}

/// The host of `--host`: a server's address, or its host and port alone, which means https.
package struct SetupHost: Equatable, Sendable {
  /// As the user gave it.
  package let text: String
  package let origin: Origin

  /// - Throws: ``SetupError/host(_:)``.
  package init(_ text: String) throws(EngineError) {
    self.text = text
    do throws(ParseError) {
      origin = text.contains("://") ? try Origin(text) : try Origin(.https, authority: text)
    } catch {
      throw .setup(.host(text))
    }
  }
}

/// `GOAUTH` in the go command's own file, changed by `go env -w`.
struct GoSettings: ProgramSettings {
  let tool: SettingsTool

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

  func remarks(_ contents: Secret?) -> [SetupRemark] { tool.variables([Self.setting]) }

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

/// pip's keyring provider, changed by `pip config`, and the command `keyring` that it runs.
struct PipSettings: ProgramSettings {
  let tool: SettingsTool

  private static let key = "global.keyring-provider"
  private static let value = "subprocess"
  private static let command = "keyring"
  private static let text = "#!/bin/sh\nexec acct helper keyring \"$@\"\n"

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
        // Also one that a user has written.
        guard contents.shownText.contains("acct helper keyring") else { throw .exists(path: path) }
        return nil
      } catch {
        guard case .missing = error else { throw .setup(.otherProgram(path: path)) }
      }
    }
    guard let path = world.places(of: .userProgram(Self.command)).first,
      let folder = path.lastIndex(of: "/").map({ String(path[..<$0]) })
    else { return nil }
    guard folders.contains(folder) else { throw .setup(.folderNotSearched(path: folder)) }
    return ScriptFile(path: path, text: Self.text)
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

/// The CLI configuration of Terraform, for which it has no tool, and the program in its folder of plugins.
struct TerraformSettings: ProgramSettings {
  let tool: SettingsTool

  private static let plugin = "terraform-credentials-acct"

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try TerraformConfig.adding(to: contents) } catch { throw failure(error) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    do { return try TerraformConfig.removing(from: contents) } catch { throw failure(error) }
  }

  /// Logins that Terraform keeps itself, and those of the environment, come before the helper.
  func remarks(_ contents: Secret?) throws(EngineError) -> [SetupRemark] {
    let hosts = try tool.origins().map(\.authority)
    let names = hosts.map { "TF_TOKEN_" + $0.replacing("-", with: "__").replacing(".", with: "_") }
    return try tool.variables(names)
      + tool.filesBefore().flatMap { place, contents in
        TerraformConfig.logins(in: contents).filter(hosts.contains)
          .map { .overruled(setting: "credentials.\($0)", place: place) }
      }
  }

  /// Terraform does not look on `PATH`.
  func script() throws(EngineError) -> ScriptFile? {
    let files = tool.context.world.foreignFiles
    guard let path = tool.context.world.places(of: .terraformPlugin(Self.plugin)).first else { return nil }
    let text = TerraformConfig.plugin
    do throws(SecretFileFailure) {
      let contents = try files.read(path, SettingsTool.limit).secret
      // The user's own link leads to acct itself, which is larger than any script.
      return contents == Secret(text) ? nil : ScriptFile(path: path, text: text)
    } catch .missing {
      return ScriptFile(path: path, text: text)
    } catch {
      return nil
    }
  }

  private func failure(_ flaw: SettingsFlaw) -> EngineError { .setup(.malformed(path: path(), .terraform, flaw)) }
}
