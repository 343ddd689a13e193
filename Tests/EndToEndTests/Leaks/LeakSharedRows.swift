import AcctTestSupport
import StrictJSON

/// A keyring that several machines share: its own commands, and what others do with it.
extension LeakStage {
  /// Makes it, and joins it again.
  func sharing(_ engine: any SharedEngine) -> [LeakRow] {
    let place = engine.place
    let wrong = [place[0], place[1]] + ["--password-file", "\(folder.path)/none", "-v"]
    return [
      LeakRow("keyring trust", ["-v"], status: 7),
      // etcd wants a user's name with it; a database has it in the connection string, and the file is looked for.
      LeakRow("keyring create", wrong, status: place[0] == "etcd" ? 64 : 65),
      LeakRow("keyring create", place + ["-v"]),
      LeakRow("keyring join", place + ["--code", "--machine-key", "tpm:nowhere", "-v"], status: 64),
      LeakRow("keyring join", place + ["--json", "-v"]),
      LeakRow("keyring status", ["-v"]),
    ]
  }

  /// With its account and the engine there.
  func usingShared() -> [LeakRow] {
    let url = "\(server.resource)/resource"
    return [
      LeakRow("keyring status", ["--json", "-v"]), LeakRow("keyring trust", ["-v"]),
      LeakRow("header", ["-a", "me", url, "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("token", ["-a", "me", "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("request", ["-a", "me", url, "-v"]), LeakRow("refresh", ["me", "--force", "-v"]),
      LeakRow("refresh", ["me", "--force", "-v"], status: 11, fault: ["endpoint": "token", "kind": "500"]),
      LeakRow("status", ["me", "--check", "-v"]), LeakRow("list", ["-v"]),
      LeakRow("allow", ["me", "https://more.example", "-v"]),
      LeakRow("key show", ["me", "--private", "-v"], shows: ["key": ["stdout"]]),
      LeakRow("export", ["me", "--passphrase-file", passphraseFile, "-v"]), LeakRow("doctor", ["-v"]),
    ]
  }

  /// With another machine that wants to join it.
  func approving(_ code: String) -> [LeakRow] {
    [
      LeakRow("keyring approve", ["nonsense", "-v"], status: 64),
      LeakRow("keyring approve", [code, "--json", "-v"]),
    ]
  }

  /// With that machine, by its name.
  func removing(_ machine: String) -> [LeakRow] {
    [
      LeakRow("keyring machines", ["nonsense", "-v"], status: 64), LeakRow("keyring machines", ["--json", "-v"]),
      LeakRow("keyring rekey", ["--keep", "-v"], status: 64), LeakRow("keyring rekey", ["--json", "-v"]),
      LeakRow("keyring remove", ["nowhere", "-v"], status: 64), LeakRow("keyring remove", [machine, "--renew", "-v"]),
    ]
  }

  /// With too little of the engine left.
  func sharedOutage(_ engine: any SharedEngine) -> [LeakRow] {
    let url = "\(server.resource)/resource"
    return [
      LeakRow("keyring status", ["-v"], status: 7),
      LeakRow("keyring create", engine.place + ["-v"], status: 7),
      LeakRow("keyring join", engine.place + ["-v"], status: 7),
      LeakRow("keyring trust", ["--json", "-v"], status: 7),
      LeakRow("keyring move", ["vault", "-v"], status: 7),
      LeakRow("header", ["-a", "me", url, "-v"], shows: ["access_token": ["stdout"]]),
      LeakRow("refresh", ["me", "--force", "--no-input", "-v"], status: 7),
      LeakRow("rename", ["me", "other", "--no-input", "-v"], status: 7),
    ]
  }

  /// From it to a vault, back, and away.
  func leaving(_ kind: EngineKind) -> [LeakRow] {
    [
      LeakRow("keyring move", ["vault", "-v"]),
      LeakRow("keyring move", ["\(kind.rawValue)", "--json", "-v"]),
      LeakRow("keyring leave", ["-v"]),
      LeakRow("keyring leave", ["-v"], status: 7),
    ]
  }
}
