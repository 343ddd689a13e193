package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// The settings of one program: where they are, and how acct comes into them and goes again.
///
/// A type of this kind changes text only. ``SetUpProgram`` reads and writes the file, records the change and undoes it, the
/// same for all programs. Where the program has a tool for its settings, that changes a copy of the file.
protocol ProgramSettings: Sendable {
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
    let tool = SettingsTool(context, self, name: name)
    switch self {
    case .git: return GitSettings(tool, host)
    case .docker: return DockerFile(tool, host)
    case .kubectl: return KubectlSettings(tool, host)
    case .cargo: return CargoFile(tool, host)
    case .go, .pip, .terraform, .aws:
      guard host == nil else { throw .setup(.everyHost(self)) }
      switch self {
      case .go: return GoSettings(tool)
      case .pip: return PipSettings(tool)
      case .terraform: return TerraformFile(tool)
      default: return AWSSettings(tool, role)
      }
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
