package import AcctPorts
import AcctModel
import Glibc
import PrivateFiles
import Secrets

extension ForeignFiles {
  /// The user's files, where each program documents them.
  ///
  /// - Parameters:
  ///   - memory: Where copies are made.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Returns: The files.
  package static func live(
    _ memory: MemoryFolders,
    _ variable: @escaping @Sendable (_ name: String) -> String?
  ) -> ForeignFiles {
    ForeignFiles(
      places: { foreignPlaces($0, variable) },
      read: { path, limit throws(SecretFileFailure) in
        do throws(FileError) {
          let file = try Descriptor.trusted(path, .own)
          let status = try file.status()
          guard var bytes = try readAll(from: file.number, limit: limit) else { throw .system(EFBIG) }
          return ForeignContents(Secret(consuming: &bytes), isExposed: status.mode & 0o077 != 0)
        } catch {
          throw SecretFileFailure(error, path)
        }
      },
      names: { folder in UserFolder(at: folder).names() },
      settings: .live(copies: memory)
    )
  }
}

private func foreignPlaces(_ file: ForeignFile, _ variable: (_ name: String) -> String?) -> [String] {
  let home = home(variable)
  let config = absoluteOnly(variable("XDG_CONFIG_HOME")) ?? "\(home)/.config"
  let cargo = variable("CARGO_HOME") ?? "\(home)/.cargo"
  switch file {
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
  case .settings(.docker): return foreignPlaces(.credentials(.docker), variable)
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
  case .credentialsBefore: return []
  case .terraformPlugin(let name): return ["\(home)/.terraform.d/plugins/\(name)"]
  case .userProgram(let name): return ["\(home)/.local/bin/\(name)"]
  }
}
