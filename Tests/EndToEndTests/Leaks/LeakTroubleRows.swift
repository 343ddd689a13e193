import AcctTestSupport
import StrictJSON

/// What goes wrong, where messages are tempted to quote.
extension LeakStage {
  /// Addresses that are none, or nobody's.
  func wrongAddresses() -> [LeakRow] {
    [
      ("not an address", 64), ("http://pds.example/", 8), ("\(server.elsewhere)/x", 8),
      ("\(server.resource)@evil.example/", 8), ("\(server.resource)/\u{7}", 64),
    ].map { url, status in LeakRow("header", [url, "--json", "-v"], status: status) }
  }

  /// A server that fails, or answers nonsense, to a refresh and a sign-in.
  func badAnswers() -> [LeakRow] {
    let faults: [(String, Int64?, Int32)] = [
      ("500", nil, 11), ("429", nil, 9), ("empty_403", nil, 11), ("html", nil, 11),
      ("truncated", nil, 11), ("reset", nil, 10), ("endless", nil, 11), ("redirect", 307, 11),
      ("error", nil, 4),
    ]
    return faults.map { kind, code, status in
      LeakRow(
        "refresh",
        ["--force", "--json", "-v"],
        status: status,
        fault: LeakRow.Fault(endpoint: "token", kind: kind, status: code)
      )
    } + [
      LeakRow(
        "add",
        [
          "--issuer", server.issuer, "--client-id", "acct-test", "--resource", server.resource,
          "--json", "-v",
        ],
        status: 11,
        fault: LeakRow.Fault(endpoint: "token", kind: "html"),
        browses: true
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
    let bad = [noKey, wrongKey, wrongToken].map {
      String(decoding: JSON.object($0).serialized(), as: UTF8.self)
    }
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
      LeakRow(
        "add",
        ["--import", exported, "--passphrase-file", wrongPassphraseFile, "--json", "-v"],
        status: 65
      ),
    ]
  }

  /// A callback that nobody waits for; it stands in the arguments, where the desktop puts it.
  func unwantedCallback() -> LeakRow {
    LeakRow(
      "callback",
      ["limit://auth?code=made-up-and-good-for-nothing", "--json", "-v"],
      status: 1
    )
  }
}
