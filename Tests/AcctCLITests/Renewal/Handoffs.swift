import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Credentials made up for tests, as a backend would hand them over.
///
/// The key is the one of RFC 7517, appendix A.2; the tokens have no signature of a server.
enum Handoffs {
  static let key: JSON = [
    "kty": "EC", "crv": "P-256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    "d": "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
  ]
  static let thumbprint = "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s"

  /// A JWT with these claims.
  static func token(_ claims: JSONObject) -> String {
    let header: JSON = ["typ": "at+jwt", "alg": "ES256"]
    return [header.serialized(), JSON.object(claims).serialized(), Array("signature".utf8)]
      .map(base64URL).joined(separator: ".")
  }

  /// A DPoP-bound token of an hour, with its key and a refresh token.
  static func dpop(_ name: String = "alice", changing changes: [String: JSON] = [:]) -> String {
    var members: [(String, JSON)] = [
      (
        "accessToken",
        .string(
          token([
            "sub": .string("did:plc:\(name)"), "iss": "https://auth.example",
            "aud": "did:web:pds.example", "exp": 1_800_003_600,
            "cnf": ["jkt": .string(thumbprint)],
          ])
        )
      ),
      ("refreshToken", .string("refresh-\(name)")),
      ("handle", .string("\(name).example.com")),
      ("did", .string("did:plc:\(name)")),
      ("pds", "https://pds.example"),
      ("dpopKey", key),
      ("expiresIn", 3600),
    ]
    members.removeAll { changes.keys.contains($0.0) }
    members += changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return text(members)
  }

  /// A bearer token of an hour in OAuth's spelling, which can't be renewed.
  static func bearer(_ name: String = "bob", changing changes: [String: JSON] = [:]) -> String {
    var members: [(String, JSON)] = [
      ("access_token", .string("opaque-\(name)")), ("token_type", "Bearer"), ("expires_in", 3600),
      ("handle", .string("\(name).example.com")), ("issuer", "https://issuer.example"),
    ]
    members.removeAll { changes.keys.contains($0.0) }
    members += changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return text(members)
  }

  private static func text(_ members: [(String, JSON)]) -> String {
    let lines = members.map { name, value in
      String(decoding: JSON.string(name).serialized() + [58] + value.serialized(), as: UTF8.self)
    }
    return "{\(lines.joined(separator: ","))}"
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    }
    return text
  }
}

extension RecordedWorld {
  /// Runs a command line and returns its exit status; its output is in the record.
  func acct(_ arguments: String...) async -> Int32 {
    clear()
    return await run(arguments)
  }

  /// Adds an account from a handoff; its output is dropped.
  func add(_ handoff: String, _ options: String...) async -> Int32 {
    provide("-", handoff)
    let status = await run(["add", "--import", "-"] + options)
    clear()
    return status
  }

  /// What a use case of this world works with; no person may be asked.
  var engine: EngineContext { EngineContext(world(), .forbidden, timeout: 30) { _ in } }

  /// Standard output as JSON.
  var json: JSON? { try? JSON(parsing: Array(out.utf8)) }
}
