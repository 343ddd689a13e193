import AcctTestSupport
import StrictJSON
import Testing

extension AcctHome {
  /// Imports a session of the server's, with a key of its own and a token that has expired.
  ///
  /// A second time it replaces the first one's credentials, since it is the same person's. Nothing but the token's end tells
  /// how old it is, and that is before a renewal here.
  func importExpired(from server: StrictServer, _ request: JSON = ["dpop": true, "expires_in": -10]) async throws {
    let added = try await importing(try await server.issue(request), "--replace")
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// The accounts, as `list` tells them.
  func accounts() async throws -> [JSONObject] {
    let listed = try await acct("list", "--json")
    try #require(listed.status == 0, "\(listed.errorText)")
    let accounts = try JSON(parsing: listed.standardOutput).objectValue?["accounts"]
    return try #require(accounts?.arrayValue).compactMap(\.objectValue)
  }

  /// The identifier of the only account.
  func accountID() async throws -> String {
    let accounts = try await accounts()
    try #require(accounts.count == 1)
    return try #require(accounts.first?["id"]?.stringValue)
  }
}

/// What no file but the vault's may hold: this server's refresh tokens, a JWT, a private key.
///
/// At the start of a word, and a JWT with its first dot: one of 6,000 thumbprints of keys, and one of
/// 50 encrypted files, which are no secrets, have such letters within them by chance.
let secretForms = #"(^|[^A-Za-z0-9_-])(rt-[A-Za-z0-9_-]{20}|eyJ[A-Za-z0-9_-]{20,}\.)|"d" ?:"#

extension StrictServer {
  /// Asserts that no client has done anything wrong so far: no request that only a wrong client
  /// makes, no secret in a wrong place, nothing secret to the third origin.
  func expectNothingWrong(_ location: SourceLocation = #_sourceLocation) async throws {
    for part in ["violations", "misplaced"] {
      let requests = try await log(part).map { JSON.object($0).serialized() }
      let told = requests.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
      #expect(told.isEmpty, "\(part)", sourceLocation: location)
    }
    let strayed = try await requests(to: "elsewhere").filter { request in
      request["authorization"] != .null || request["dpop"] == true
        || request["form_names"]?.arrayValue?.isEmpty == false
    }
    #expect(strayed.isEmpty, sourceLocation: location)
  }
}
