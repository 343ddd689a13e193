import AcctModel
import AcctTestSupport
import StrictJSON
import Testing

/// What is called, in the order in which one row builds on another.
extension LeakStage {
  /// The ways to get accounts: one at the server (`me`), one without a browser (`device`), one from
  /// a file (`imported`), a guest (`guest`) and a session that a backend keeps (`sealed`).
  func adding() async throws -> [LeakRow] {
    let oauth = ["--issuer", server.issuer, "--resource", server.resource, "--client-id"]
    return [
      LeakRow("add", oauth + ["acct-test", "--name", "me", "-v"], mood: "approve"),
      LeakRow("add", oauth + ["another", "--device", "--name", "device", "--no-switch", "-v"]),
      LeakRow(
        "add",
        oauth + [
          "confidential", "--client-secret-file", clientSecretFile, "--client-auth", "post", "--device", "--name",
          "secretive", "--no-switch", "-v",
        ]
      ),
      try await importing("imported"),
    ] + clients() + [
      LeakRow("add", ["--guest", guests.origin, "--name", "guest", "--no-switch", "-v"]),
      LeakRow(
        "add",
        [
          "--session", sessions.address, "alice.example.com", "--callback", callback, "--name",
          "sealed", "--no-switch", "-v",
        ],
        mood: "approve"
      ),
    ]
  }

  /// One account alone, from a file, which is the fastest way.
  func importing(_ name: String) async throws -> LeakRow {
    let session = JSON.object(try await session(of: name)).serialized()
    return LeakRow(
      "add",
      ["--import", "-", "--name", name, "--no-switch", "-v"],
      input: String(decoding: session, as: UTF8.self)
    )
  }

  /// What acct does with accounts that are there, and then without them.
  func using() async throws -> [LeakRow] {
    let url = "\(server.resource)/resource"
    let unrunnable = try await unrunnable()
    let key = try await home.acct("key", "show", "--private", "me").text
    return [
      LeakRow("home", ["-v"]), LeakRow("list", ["-v"]), LeakRow("list", ["--json", "-v"]),
      LeakRow("switch", ["me", "-v"]),
      LeakRow("status", ["-v"]), LeakRow("status", ["--check", "--json", "-v"]),
      LeakRow("status", ["sealed", "--check", "-v"]),
      LeakRow("header", [url, "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("header", [url, "--json", "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("header", ["POST", url, "--format", "curl"], shows: ["access_token": ["stdout"]]),
      LeakRow("header", ["-a", "guest", "\(guests.origin)/api/edit", "-v"], shows: ["guest_token": ["stdout"]]),
      LeakRow("header", ["-a", "sealed", "\(sessions.address)/api", "-v"], shows: ["sealed_session": ["stdout"]]),
      LeakRow(
        "header",
        ["-a", "sealed", "\(sessions.address)/api", "--bearer"],
        shows: ["sealed_session": ["stdout"]]
      ),
      LeakRow("token", ["-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("token", ["--json", "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("token", ["--audience", "another", "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("request", [url, "--audience", "another", "-v"]),
      LeakRow("observe", [url, "-v"], input: "HTTP/1.1 200 OK\nDPoP-Nonce: a-nonce\n\n"),
      LeakRow("limits", ["-v"]), LeakRow("log", ["-v"]), LeakRow("log", ["--json"]), LeakRow("metrics", ["-v"]),
      LeakRow("refresh", ["--force", "-v"]), LeakRow("refresh", ["--all", "--force", "--json"]),
      LeakRow("refresh", ["sealed", "--force", "-v"]),
      LeakRow("log", ["--used", "-v"]), LeakRow("rotate", ["me", "-v"]), LeakRow("rotate", ["device", "--json"]),
      LeakRow("rename", ["device", "other", "-v"]),
      LeakRow("allow", ["me", "https://more.example", "-v"]),
      LeakRow("key show", ["-v"]), LeakRow("key thumbprint", ["--json", "-v"]),
      LeakRow("key show", ["--private", "-v"], shows: ["key": ["stdout"]]),
      LeakRow("key list", ["--hardware", "--json", "-v"]),
      LeakRow("key list", ["tpm:nowhere", "--hardware", "-v"], status: 64),
      LeakRow("key import", ["-v"], input: key),
      LeakRow("export", ["--all", "--passphrase-file", passphraseFile, "-o", exported, "-v"]),
      LeakRow("export", ["me", "--passphrase-file", passphraseFile, "-v"]),
      LeakRow("add", ["--import", exported, "--passphrase-file", passphraseFile, "--no-switch", "--json", "-v"]),
      // Its memory is the command's own by then, and holds what it was to be given.
      LeakRow("exec", ["-v", "--", "true"], shows: ["access_token": ["call execve"]], keeps: ["access_token"]),
      // It can't be run, which only the kernel finds out, when it is given the token.
      LeakRow("exec", ["-v", "--", unrunnable], status: 127, shows: ["access_token": ["call execve"]]),
      LeakRow("request", [url, "-i", "-v"]),
      LeakRow("request", ["POST", url, "-d", "-", "--json", "-v"], input: "a body"),
      LeakRow("complete", ["accounts", "-v"]), LeakRow("doctor", ["-v"]),
      LeakRow("providers", ["--json", "-v"]), LeakRow("providers", ["nowhere", "-v"], status: 64),
    ]
  }

  /// The vault's own commands.
  func vault(sealedIn tpm: SoftwareTPM) -> [LeakRow] {
    let place = tpm.address.description
    // The TPM itself gets the key, to encrypt it.
    let wire = "tcp \(place.dropFirst("swtpm:host=".count).replacing(",port=", with: ":"))"
    return [
      LeakRow("vault seal", ["--tpm", place, "-v"], shows: ["vault_key": [wire]]),
      LeakRow("vault lock", ["--json", "-v"]), LeakRow("vault unlock", ["--json", "-v"]),
      LeakRow("vault unseal", ["-v"]), LeakRow("vault unlock", ["-v"]), LeakRow("vault lock", ["-v"]),
      LeakRow("keyring unlock", ["--json", "-v"]), LeakRow("keyring lock", ["--json", "-v"]),
      LeakRow("vault passphrase", ["--new-passphrase-file", passphraseFile, "--json", "-v"]),
    ]
  }

  /// The ends of accounts, which are told to servers.
  func removing() -> [LeakRow] {
    [
      LeakRow("remove", ["imported", "-v"]), LeakRow("remove", ["guest", "-v"]),
      LeakRow("remove", ["sealed", "--json", "-v"]), LeakRow("remove", ["me", "-v"]),
    ]
  }

  /// A script of a language that is not there.
  private func unrunnable() async throws -> String {
    let script = try folder.file("script", containing: "#!/nonexistent/interpreter\n")
    let changed = try await ChildProcess("chmod", ["700", script]).run()
    try #require(changed.status == 0, "\(changed.errorText)")
    return script
  }

  /// Where an export goes.
  var exported: String { "\(folder.path)/export" }
}
