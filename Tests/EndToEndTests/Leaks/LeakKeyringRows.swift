import AcctTestSupport
import StrictJSON
import Testing

/// What acct does while it can't get at secrets, or gets damaged ones.
extension LeakStage {
  /// With a keyring that is locked (6), or that can't be reached (7).
  func closed(_ status: Int32) async throws -> [LeakRow] {
    let url = "\(server.resource)/resource"
    let file = String(decoding: JSON.object(try await session(of: "newcomer")).serialized(), as: UTF8.self)
    let commands: [(String, [String])] = [
      ("header", ["-a", "me", url]), ("token", ["-a", "me"]), ("request", ["-a", "me", url]),
      ("refresh", ["me", "--force"]), ("status", ["me"]), ("key show", ["me", "--private"]),
      ("export", ["me", "--passphrase-file", passphraseFile]), ("remove", ["me"]), ("doctor", []),
      ("add", ["--import", "-"]),
    ]
    return commands.map { command, arguments in
      LeakRow(command, arguments + ["--json", "--no-input", "-v"], input: command == "add" ? file : "", status: status)
    } + [LeakRow("exec", ["-a", "me", "--no-input", "-v", "--", "true"], status: status)]
  }

  /// With a keyring on the bus that a program other than acct has written to.
  func runOverwritten(_ keyring: GnomeKeyring) async throws {
    let id = try await identifier(of: "me")
    let shown = try await home.acct("key", "show", "--private", "me")
    var jwk = try #require(try JSON(parsing: shown.standardOutput).objectValue)
    jwk["x"] = jwk["y"]
    let bad = [("dpop.keypair.\(id)", JSON.object(jwk).serialized()), ("oauth.\(id).accessToken", Array("a\nb".utf8))]
    for (key, value) in bad {
      let item = ["account", id, "key", key]
      // With acct's schema: an item of another program's is none of acct's.
      let own = item + ["xdg:schema", "dev.acct.Credential"]
      for arguments in [["clear"] + item, ["store", "--label", "acct: \(key)"] + own] {
        var tool = ChildProcess("secret-tool", arguments, environment: keyring.environment)
        tool.input = value
        let changed = try await tool.run()
        try #require(changed.status == 0, "\(changed.errorText)")
      }
      try await run(damaged("me", 65, doctor: 1))
    }
  }

  /// With a vault and a file in which one byte was changed.
  func runDamaged() async throws {
    let id = try await identifier(of: "device")
    let items = ["oauth.\(id).accessToken", "dpop.keypair.\(id)"]
    for item in items {
      try await change("data/vault/\(item)", by: "printf x >>")
      try await run(damaged("device", 1, doctor: 1))
    }
    try await change("data/accounts/\(id).json", by: "truncate -s 100")
    try await run(damaged("device", 65, doctor: 1) + [LeakRow("list", ["--json", "-v"])])
  }

  /// What asks for the credentials of an account that are not what acct has written.
  private func damaged(_ account: String, _ status: Int32, doctor: Int32) -> [LeakRow] {
    let url = "\(server.resource)/resource"
    return [
      LeakRow("header", ["-a", account, url, "--json", "-v"], status: status),
      LeakRow("status", [account, "--json", "-v"], status: status),
      LeakRow("request", ["-a", account, url, "--json", "-v"], status: status),
      LeakRow("refresh", [account, "--force", "--json", "-v"], status: status),
      LeakRow("key show", [account, "--private", "--json", "-v"], status: status),
      LeakRow("export", [account, "--passphrase-file", passphraseFile, "--json", "-v"], status: status),
      LeakRow("doctor", ["--offline", "--json", "-v"], status: doctor),
      LeakRow("doctor", ["--offline", "--repair", "--json", "-v"], status: doctor),
    ]
  }

  private func identifier(of name: String) async throws -> String {
    let account = try await home.accounts().first { $0["name"]?.stringValue == name }
    return try #require(account?["id"]?.stringValue)
  }

  private func change(_ file: String, by command: String) async throws {
    let changed = try await ChildProcess("sh", ["-c", "\(command) \"$0\"", "\(home.path)/\(file)"]).run()
    try #require(changed.status == 0, "\(changed.errorText)")
  }
}
