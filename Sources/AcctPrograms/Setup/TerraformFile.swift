import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// The CLI configuration of Terraform, for which it has no tool, and the program in its folder of plugins.
struct TerraformFile: ProgramSettings {
  private let tool: SettingsTool

  init(_ tool: SettingsTool) { self.tool = tool }

  let name = "acct"
  private static let plugin = "terraform-credentials-acct"

  func path() -> String { tool.places.first ?? "" }

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try TerraformSettings.adding(to: contents) } catch { throw failure(error) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    do { return try TerraformSettings.removing(from: contents) } catch { throw failure(error) }
  }

  /// Logins that Terraform keeps itself, and those of the environment, come before the helper.
  func remarks(_ contents: Secret?) throws(EngineError) -> [SetupRemark] {
    let hosts = try tool.origins().map(\.authority)
    let names = hosts.map { "TF_TOKEN_" + $0.replacing("-", with: "__").replacing(".", with: "_") }
    return try tool.variables(names)
      + tool.filesBefore().flatMap { place, contents in
        TerraformSettings.logins(in: contents).filter(hosts.contains)
          .map { .overruled(setting: "credentials.\($0)", place: place) }
      }
  }

  /// Terraform does not look on `PATH`.
  func script() throws(EngineError) -> ScriptFile? {
    let files = tool.context.world.foreignFiles
    guard let path = tool.context.world.places(of: .terraformPlugin(Self.plugin)).first else { return nil }
    let text = TerraformSettings.plugin
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
