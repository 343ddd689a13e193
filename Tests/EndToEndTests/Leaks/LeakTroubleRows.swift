import AcctTestSupport
import StrictJSON

/// What goes wrong, where messages are tempted to quote.
extension LeakStage {
  /// Addresses that are invalid, or where no server listens.
  func wrongAddresses() -> [LeakRow] {
    [
      ("not an address", 64), ("http://pds.example/", 8), ("\(server.elsewhere)/x", 8),
      ("\(server.resource)@evil.example/", 8), ("\(server.resource)/\u{7}", 64),
    ].map { url, status in LeakRow("header", [url, "--json", "-v"], status: status) }
  }

  /// A server that fails, or answers nonsense, to a refresh, a request and a sign-in.
  func badAnswers() -> [LeakRow] {
    let url = "\(server.resource)/resource"
    let oauth = ["--issuer", server.issuer, "--resource", server.resource, "--json", "-v"]
    let denial: JSON = ["endpoint": "token", "kind": "error", "error": "access_denied", "status": 400]
    let faults: [(JSONObject, Int32)] = [
      (["kind": "500"], 11), (["kind": "status", "status": 429], 9), (["kind": "empty_403"], 11),
      (["kind": "html"], 11), (["kind": "truncated"], 11), (["kind": "reset"], 10),
      (["kind": "endless"], 11), (["kind": "redirect", "status": 307], 11),
      (["kind": "echo", "error": "invalid_request"], 4), (["kind": "error"], 4),
    ]
    let requests: [(JSON, Int32)] = [("500", 11), ("429", 9), ("reset", 10), ("truncated", 0), ("redirect", 0)]
    return requests.map { kind, status in
      LeakRow(
        "request",
        ["-a", "me", url, "--json", "-v"],
        status: status,
        fault: ["endpoint": "resource", "kind": kind]
      )
    }
      + faults.map { fault, status in
        var fault = fault
        fault["endpoint"] = "token"
        return LeakRow("refresh", ["--force", "--json", "-v"], status: status, fault: .object(fault))
      } + [
        LeakRow(
          "add",
          oauth + ["--client-id", "acct-test"],
          status: 11,
          fault: ["endpoint": "token", "kind": "html"],
          mood: "approve"
        ),
        LeakRow("add", oauth + ["--client-id", "another", "--device"], status: 4, fault: denial),
        // It signs first, and is refused then: the server takes ES256 alone.
        LeakRow(
          "add",
          oauth + ["--client-id", "keyed", "--client-key", rsaKeyFile, "--grant", "jwt-bearer"],
          status: 11
        ),
      ]
      + ["par", "token"].map { endpoint in
        LeakRow(
          "add",
          oauth + ["--client-id", "acct-test"],
          status: 11,
          fault: ["endpoint": .string(endpoint), "kind": "echo", "error": "invalid_request", "count": .null],
          mood: "approve"
        )
      } + [
        LeakRow(
          "add",
          oauth + ["--client-id", "another", "--device"],
          status: 11,
          fault: ["endpoint": "token", "kind": "echo", "error": "invalid_request", "count": .null]
        )
      ]
  }

  /// Files that are almost right, with a secret next to what is wrong.
  func badFiles() async throws -> [LeakRow] {
    let good = try await session(of: "stranger")
    let text = String(decoding: JSON.object(good).serialized(), as: UTF8.self)
    var twice = text
    twice.removeLast()
    var (noKey, wrongKey, wrongToken) = (good, good, good)
    let token = good["access_token"]?.stringValue ?? ""
    twice += #","access_token":"\#(token)"}"#
    noKey["dpopKey"] = ["kty": "EC", "crv": "P-256", "d": good["dpopKey"]?["d"] ?? .null]
    var jwk = good["dpopKey"]?.objectValue ?? [:]
    jwk["x"] = jwk["y"]
    wrongKey["dpopKey"] = .object(jwk)
    wrongToken["access_token"] = .string("\(token)\r\nX-Injected: 1")
    let bad = [noKey, wrongKey, wrongToken].map { String(decoding: JSON.object($0).serialized(), as: UTF8.self) }
    return ([String(text.dropLast(4)), twice] + bad).map {
      LeakRow("add", ["--import", "-", "--json", "-v"], input: $0, status: 65)
    } + [
      LeakRow(
        "key import",
        ["me", "--json", "-v"],
        input: String(decoding: (good["dpopKey"] ?? .null).serialized(), as: UTF8.self),
        status: 65
      ),
      // The passphrase of something else.
      LeakRow("add", ["--import", exported, "--passphrase-file", wrongPassphraseFile, "--json", "-v"], status: 65),
    ]
  }

  /// Accounts that are not there, and words that acct does not know.
  func nobody() -> [LeakRow] {
    let url = "\(server.resource)/resource"
    return [
      LeakRow("allow", ["nobody", "https://more.example", "--json", "-v"], status: 5),
      LeakRow("complete", ["nonsense", "--json", "-v"], status: 64),
      LeakRow("home", ["nonsense", "--json", "-v"], status: 64),
      LeakRow("limits", ["nobody", "--json", "-v"], status: 5),
      LeakRow("log", ["nobody", "-v"], status: 5), LeakRow("metrics", ["--json"], status: 64),
      LeakRow("observe", [url, "--json", "-v"], input: "nonsense", status: 65),
      LeakRow("proxy", ["-a", "nobody", "--json", "-v"], status: 5),
      LeakRow("rename", ["nobody", "other", "--json", "-v"], status: 5),
      LeakRow("rotate", ["nobody", "--json", "-v"], status: 5),
      LeakRow("switch", ["nobody", "--json", "-v"], status: 5),
      LeakRow("key thumbprint", ["nobody", "--json", "-v"], status: 5),
      LeakRow("list", ["nonsense", "--json", "-v"], status: 64),
      LeakRow("vault lock", ["nonsense", "--json", "-v"], status: 64),
      LeakRow("keyring lock", ["nonsense", "--json", "-v"], status: 64),
      LeakRow("keyring unlock", ["nonsense", "--json", "-v"], status: 64),
    ]
  }

  /// The vault's commands where there is none.
  func noVault() -> [LeakRow] {
    [
      LeakRow("vault unlock", ["--json", "-v"], status: 1),
      LeakRow("vault seal", ["--json", "-v"], status: 1), LeakRow("vault reset", ["--yes", "--json", "-v"], status: 1),
      LeakRow("vault unseal", ["--json", "-v"], status: 1),
      LeakRow("vault passphrase", ["--new-passphrase-file", passphraseFile, "--json", "-v"], status: 1),
    ]
  }

  /// A callback without a waiting sign-in; it is in the arguments, where the desktop puts it.
  func unwantedCallback() -> LeakRow {
    LeakRow("callback", ["limit://auth?code=made-up-and-good-for-nothing", "--json", "-v"], status: 1)
  }
}
