import AcctTestSupport

/// Clients that prove who they are: each asks for tokens, and asks again.
extension LeakStage {
  func clients() -> [LeakRow] {
    let credentials = ["--grant", "client-credentials"]
    let assertion = ["--grant", "jwt-bearer"]
    return [
      LeakRow("add", client("basic", named: "basic", credentials + ["--client-secret-file", clientSecretFile])),
      LeakRow("add", client("keyed", named: "keyed", credentials + ["--client-key", clientKeyFile])),
      LeakRow("add", client("robot", named: "robot", assertion + ["--client-key", clientKeyFile, "--json"])),
      // Renewed with what is stored: a secret in a header, and a signature of the key.
      LeakRow("refresh", ["basic", "--force", "-v"]),
      LeakRow("refresh", ["keyed", "--force", "-v"]),
      LeakRow("refresh", ["robot", "--force", "-v"]),
      LeakRow("login", ["basic", "--no-input", "-v"]),
      LeakRow("login", ["robot", "--client-key", clientKeyFile, "--no-input", "--json", "-v"]),
      LeakRow("login", ["basic", "--token", clientSecretFile, "--json", "-v"], status: 64),
    ]
  }

  private func client(_ id: String, named name: String, _ options: [String]) -> [String] {
    ["--issuer", server.issuer, "--resource", server.resource, "--client-id", id] + options
      + ["--name", name, "--no-switch", "-v"]
  }
}
