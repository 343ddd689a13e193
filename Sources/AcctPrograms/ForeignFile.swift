import AcctModel
import AcctPorts

/// A file of another program.
package enum ForeignFile: Hashable, Sendable {
  /// Credentials, or the list of those that the program keeps elsewhere; for oidc-agent, a folder.
  case credentials(OtherProgram)
  /// The settings that name cargo's registries.
  case cargoSettings
  /// The user's own settings of a program.
  case settings(SetupProgram)
  /// Files that a program of this kind reads before those of its settings: podman's logins, AWS's and Terraform's keys.
  case credentialsBefore(SetupProgram)
  /// A program of this name in the user's own folder of programs.
  case userProgram(String)
  /// A program of this name in Terraform's folder of plugins.
  case terraformPlugin(String)

  /// The places where its program looks for it, in the program's own order, by its own environment variables.
  ///
  /// - Parameters:
  ///   - home: The user's own folder.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Returns: The paths.
  package func places(in home: String, _ variable: (_ name: String) -> String?) -> [String] {
    func folder(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let config = folder("XDG_CONFIG_HOME") ?? "\(home)/.config"
    let cargo = variable("CARGO_HOME") ?? "\(home)/.cargo"
    switch self {
    case .credentials(.gh): return ["\(variable("GH_CONFIG_DIR") ?? "\(config)/gh")/hosts.yml"]
    case .credentials(.glab): return ["\(variable("GLAB_CONFIG_DIR") ?? "\(config)/glab-cli")/config.yml"]
    case .credentials(.git): return ["\(home)/.git-credentials", "\(config)/git/credentials"]
    case .credentials(.netrc): return [variable("NETRC") ?? "\(home)/.netrc"]
    case .credentials(.docker): return ["\(variable("DOCKER_CONFIG") ?? "\(home)/.docker")/config.json"]
    // Of the two, cargo takes the older name.
    case .credentials(.cargo): return ["\(cargo)/credentials", "\(cargo)/credentials.toml"]
    case .credentials(.oidcAgent):
      return [variable("OIDC_CONFIG_DIR"), "\(home)/.config/oidc-agent", "\(home)/.oidc-agent"].compactMap(\.self)
    case .cargoSettings: return ["\(cargo)/config", "\(cargo)/config.toml"]
    case .settings(.git):
      return variable("GIT_CONFIG_GLOBAL").map { [$0] } ?? ["\(home)/.gitconfig", "\(config)/git/config"]
    case .settings(.docker): return Self.credentials(.docker).places(in: home, variable)
    case .settings(.kubectl):
      return variable("KUBECONFIG")?.split(separator: ":").map(String.init) ?? ["\(home)/.kube/config"]
    // Of the two, cargo takes the older name.
    case .settings(.cargo): return ["\(cargo)/config", "\(cargo)/config.toml"]
    case .settings(.go): return [variable("GOENV") ?? "\(config)/go/env"]
    case .settings(.pip): return ["\(config)/pip/pip.conf"]
    case .settings(.terraform): return [variable("TF_CLI_CONFIG_FILE") ?? "\(home)/.terraformrc"]
    case .settings(.aws): return [variable("AWS_CONFIG_FILE") ?? "\(home)/.aws/config"]
    case .credentialsBefore(.docker):
      return variable("REGISTRY_AUTH_FILE").map { [$0] }
        ?? [variable("XDG_RUNTIME_DIR"), config].compactMap { $0.map { "\($0)/containers/auth.json" } }
    case .credentialsBefore(.aws): return [variable("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials"]
    case .credentialsBefore(.terraform): return ["\(home)/.terraform.d/credentials.tfrc.json"]
    case .credentialsBefore(.git), .credentialsBefore(.kubectl), .credentialsBefore(.cargo), .credentialsBefore(.go),
      .credentialsBefore(.pip):
      return []
    case .terraformPlugin(let name): return ["\(home)/.terraform.d/plugins/\(name)"]
    case .userProgram(let name): return ["\(home)/.local/bin/\(name)"]
    }
  }
}

extension World {
  /// The places where a program looks for a file.
  func places(of file: ForeignFile) -> [String] { file.places(in: foreignFiles.home(), environment.variable) }
}
