import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// docker's `config.json`, for which docker has no tool.
struct DockerSettings: ProgramSettings {
  let tool: SettingsTool
  let host: SetupHost?

  let name = "docker-credential-acct"

  /// The registry, as docker writes it.
  private var registry: String? {
    host.map { Registry.isHub($0.origin) ? Registry.hubAddress : $0.origin.authority }
  }

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    let general = try adding(registry, to: contents)
    var edited = general
    // A registry's own helper comes before the general one.
    for registry in try host == nil ? ownHelpers(contents) : [] {
      guard let more = try adding(registry, to: edited?.contents ?? contents) else { continue }
      edited = EditedSettings(more.contents, (edited?.changes ?? []) + more.changes, wasSetUp: general == nil)
    }
    return edited
  }

  private func adding(_ registry: String?, to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try DockerConfig.adding(registry, to: contents) } catch {
      throw .setup(.malformed(path: path(), .docker, error))
    }
  }

  /// The registries with helpers of their own that an account answers for.
  private func ownHelpers(_ contents: Secret?) throws(EngineError) -> [String] {
    let own = contents.map(DockerConfig.ownHelpers) ?? []
    guard !own.isEmpty else { return [] }
    let servers = try tool.context.accountStore.listing().accounts.compactMap { account in
      account.origins.count == 1 ? account.origins.first?.authority : nil
    }
    return own.filter { registry in
      servers.contains {
        $0 == registry || registry == Registry.hubAddress && Registry.isHub((try? Registry($0))?.origins.first)
      }
    }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    do { return try contents.removing(changes, DockerConfig.removing) } catch {
      throw .setup(.malformed(path: path(), .docker, error))
    }
  }

  func remarks(_ contents: Secret?) throws(EngineError) -> [SetupRemark] {
    let logins = contents.map(DockerConfig.logins) ?? []
    let unused = logins.filter { login in registry.map { $0 == login } ?? true }
    return (unused.isEmpty ? [] : [.unusedLogins(unused)]) + (try loginsOfPodman())
  }

  /// podman's own logins at the accounts' servers, in files that it reads before docker's.
  private func loginsOfPodman() throws(EngineError) -> [SetupRemark] {
    guard tool.context.world.programs.exists("podman") else { return [] }
    let servers = if let registry { [registry] } else { try tool.origins().map(\.authority) }
    return try tool.filesBefore().filter { $0.place != path() }.flatMap { place, contents in
      DockerConfig.logins(in: contents).filter { login in servers.contains { login.hasPrefix($0) } }
        .map { .overruled(setting: "auths.\($0)", place: place) }
    }
  }
}

/// cargo's `config.toml`, for which cargo has no tool.
struct CargoSettings: ProgramSettings {
  let tool: SettingsTool
  let host: SetupHost?

  let name = "cargo-credential-acct"

  func path() throws(EngineError) -> String { try tool.existing(else: tool.places.last) }

  func adding(to contents: Secret?) throws(EngineError) -> EditedSettings? {
    do { return try CargoConfig.adding(host?.origin, to: contents) } catch { throw try failure(error) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) throws(EngineError) -> Secret? {
    do { return try contents.removing(changes, CargoConfig.removing) } catch { throw try failure(error) }
  }

  func remarks(_ contents: Secret?) -> [SetupRemark] {
    let own = host == nil ? contents.map(CargoConfig.otherProviders) ?? [] : []
    return [.needsAllow] + tool.variables(["CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS"])
      + own.map(SetupRemark.otherHelper)
  }

  private func failure(_ flaw: SettingsFlaw) throws(EngineError) -> EngineError {
    if flaw == .unknownHost, let host { return .setup(.unknownHost(host.text, .cargo)) }
    return .setup(.malformed(path: try path(), .cargo, flaw))
  }
}
