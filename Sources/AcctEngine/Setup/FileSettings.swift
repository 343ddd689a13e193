import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// docker's `config.json`, for which docker has no tool.
struct DockerFile: ProgramSettings {
  private let tool: SettingsTool
  private let host: SetupHost?

  init(_ tool: SettingsTool, _ host: SetupHost?) {
    self.tool = tool
    self.host = host
  }

  let name = "docker-credential-acct"

  /// The registry, as docker writes it.
  private var registry: String? {
    host.map { DockerSettings.hub.contains($0.origin.authority) ? DockerSettings.hubAddress : $0.origin.authority }
  }

  func path() -> String { tool.places.first ?? "" }

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try DockerSettings.adding(registry, to: contents) } catch {
      throw .setup(.malformed(path: path(), .docker, error))
    }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    var changed: Secret?
    for change in changes {
      do { changed = try DockerSettings.removing(change, from: changed ?? contents) ?? changed } catch {
        throw .setup(.malformed(path: path(), .docker, error))
      }
    }
    return changed
  }

  func remarks(_ contents: Secret?) -> [SetupRemark] {
    let logins = contents.map(DockerSettings.logins) ?? []
    let unused = logins.filter { login in registry.map { $0 == login } ?? true }
    return unused.isEmpty ? [] : [.unusedLogins(unused)]
  }
}

/// cargo's `config.toml`, for which cargo has no tool.
struct CargoFile: ProgramSettings {
  private let tool: SettingsTool
  private let host: SetupHost?

  init(_ tool: SettingsTool, _ host: SetupHost?) {
    self.tool = tool
    self.host = host
  }

  let name = "cargo-credential-acct"

  func path() throws(EngineError) -> String { try tool.existing(else: tool.places.last) }

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try CargoSettings.adding(host?.origin, to: contents) } catch { throw try failure(error) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    var changed: Secret?
    for change in changes {
      do { changed = try CargoSettings.removing(change, from: changed ?? contents) ?? changed } catch {
        throw try failure(error)
      }
    }
    return changed
  }

  func remarks(_ contents: Secret?) -> [SetupRemark] { [.needsAllow] }

  private func failure(_ flaw: SettingsFlaw) throws(EngineError) -> EngineError {
    if flaw == .unknownHost, let host { return .setup(.unknownHost(host.text, .cargo)) }
    return .setup(.malformed(path: try path(), .cargo, flaw))
  }
}
