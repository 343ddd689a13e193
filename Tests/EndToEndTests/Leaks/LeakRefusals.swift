import AcctTestSupport
import StrictJSON
import Testing

/// What acct does with credentials that servers reject, at once or later.
extension LeakStage {
  /// Has every kind of credential refused, and uses it then.
  func runRefused() async throws {
    let url = "\(server.resource)/resource"
    let edit = "\(guests.origin)/api/edit"
    // A token that is worthless while its session lives.
    try await server.control("revoke-access")
    try await run([LeakRow("status", ["imported", "--check", "--json", "-v"])])
    try await server.control("revoke-access")
    try await run([LeakRow("request", ["-a", "imported", url, "--json", "-v"])])
    // Good tokens beside something that makes the answer unusable.
    let tokens = ["access_token", "refresh_token"].map { kind in
      (kind, "made up, and in an answer that can't be used: \(kind)".replacing(" ", with: "-"))
    }
    for (kind, token) in tokens { watch.secrets.add(kind, token) }
    var unusable: JSONObject = ["token_type": "MAC"]
    for (kind, token) in tokens { unusable[kind] = .string(token) }
    let answer: JSON = [
      "endpoint": "token", "kind": "status", "status": 200, "type": "application/json",
      "body": .string(String(decoding: JSON.object(unusable).serialized(), as: UTF8.self)),
    ]
    try await run([LeakRow("refresh", ["imported", "--force", "--json", "-v"], status: 11, fault: answer)])

    // A session that has ended, and what can then be had without it.
    try await server.control("end")
    try await server.control("revoke-access")
    try await run([
      LeakRow("request", ["-a", "imported", url, "--json", "-v"], status: 4),
      LeakRow("refresh", ["imported", "--force", "--json", "-v"], status: 4),
      LeakRow("header", ["-a", "imported", url, "--json", "-v"], status: 4),
      LeakRow("token", ["-a", "imported", "--json", "-v"], status: 4),
      LeakRow("exec", ["-a", "imported", "-v", "--", "true"], status: 4),
      LeakRow("status", ["imported", "--json", "-v"], status: 4),
    ])
    try await guests.revoke()
    try await run([
      LeakRow("request", ["-a", "guest", edit, "--json", "-v"], status: 4),
      LeakRow("header", ["-a", "guest", edit, "--json", "-v"], status: 4),
    ])
    try await run([
      LeakRow(
        "observe",
        ["-a", "sealed", sessions.address, "--json", "-v"],
        input: "HTTP/1.1 200 OK\nSet-Cookie: sid=\(planted)\n\n"
      )
    ])
    try await sessions.set(["roll": true])
    try await run([LeakRow("status", ["sealed", "--check", "--json", "-v"])])
    try await sessions.set(["session_override": ["did": "did:plc:mallory"]])
    try await run([LeakRow("status", ["sealed", "--check", "--json", "-v"], status: 11)])
    try await sessions.set(["session_override": [:]])
    try await sessions.end("session_invalid")
    try await run([
      LeakRow("status", ["sealed", "--check", "--json", "-v"], status: 4),
      LeakRow("refresh", ["sealed", "--force", "--json", "-v"], status: 4),
      LeakRow("header", ["-a", "sealed", "\(sessions.address)/api", "--json", "-v"], status: 4),
    ])
  }

  /// A session that no backend issued, as an attacker's page would have one rotated.
  private var planted: String {
    let seal = "Fe26.2*1*made-up-and-planted-by-nobody-that-a-backend-knows*~2"
    watch.secrets.add("sealed_session", seal)
    return seal
  }
}
