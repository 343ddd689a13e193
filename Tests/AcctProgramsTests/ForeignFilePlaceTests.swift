import AcctPrograms
import Testing

@Suite("Files of other programs, where they are")
struct ForeignFilePlaceTests {
  @Test("Each program's file is below the user's home or configuration, or where its variable says")
  func places() {
    let home: [String: String] = [:]
    let moved = ["XDG_CONFIG_HOME": "/c"]
    let cases: [(ForeignFile, [String: String], [String])] = [
      (.credentials(.gh), home, ["/h/.config/gh/hosts.yml"]), (.credentials(.gh), moved, ["/c/gh/hosts.yml"]),
      (.credentials(.gh), ["GH_CONFIG_DIR": "/g"], ["/g/hosts.yml"]),
      (.credentials(.glab), moved, ["/c/glab-cli/config.yml"]),
      (.credentials(.glab), ["GLAB_CONFIG_DIR": "/g"], ["/g/config.yml"]),
      (.credentials(.git), moved, ["/h/.git-credentials", "/c/git/credentials"]),
      (.credentials(.netrc), home, ["/h/.netrc"]), (.credentials(.netrc), ["NETRC": "/n"], ["/n"]),
      (.credentials(.docker), home, ["/h/.docker/config.json"]),
      (.credentials(.docker), ["DOCKER_CONFIG": "/d"], ["/d/config.json"]),
      (.credentials(.cargo), home, ["/h/.cargo/credentials", "/h/.cargo/credentials.toml"]),
      (.cargoSettings, ["CARGO_HOME": "/r"], ["/r/config", "/r/config.toml"]),
      (.credentials(.oidcAgent), home, ["/h/.config/oidc-agent", "/h/.oidc-agent"]),
      (
        .credentials(.oidcAgent), ["OIDC_CONFIG_DIR": "/o"],
        ["/o", "/h/.config/oidc-agent", "/h/.oidc-agent"]
      ),
      (.settings(.git), home, ["/h/.gitconfig", "/h/.config/git/config"]),
      (.settings(.git), ["XDG_CONFIG_HOME": "c"], ["/h/.gitconfig", "/h/.config/git/config"]),
      (.settings(.docker), ["DOCKER_CONFIG": "/d"], ["/d/config.json"]),
      (.settings(.kubectl), ["KUBECONFIG": "/a:/b"], ["/a", "/b"]),
      (
        .credentialsBefore(.docker), ["XDG_RUNTIME_DIR": "/r"],
        ["/r/containers/auth.json", "/h/.config/containers/auth.json"]
      ),
      (.credentialsBefore(.git), home, []), (.userProgram("keyring"), home, ["/h/.local/bin/keyring"]),
    ]
    for (file, variables, expected) in cases { #expect(file.places(in: "/h") { variables[$0] } == expected) }
  }
}
