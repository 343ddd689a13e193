import AcctTestSupport
import StrictJSON
import Testing

/// `acct request --follow` at a server that takes each proof once, and for its own URL alone.
@Suite("acct request --follow")
struct RequestFollowTests {
  /// An account of the server's, whose resource server redirects.
  private func home(of server: StrictServer, _ fault: JSON) async throws -> AcctHome {
    let home = try AcctHome()
    try await home.importExpired(from: server, ["dpop": true])
    try await server.fault(fault)
    return home
  }

  @Test("A followed request has a new proof for each URL", arguments: ["GET", "HEAD"])
  func follows(method: String) async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try await home(
      of: server,
      [
        "endpoint": "resource", "kind": "redirect", "status": 302, "count": 2, "process": true,
        "location": "/resource/next?still=here",
      ]
    )
    let output = try await home.acct("request", "-L", method, "\(server.resource)/resource/start")
    #expect(output.status == 0, "\(output.errorText)")
    #expect(output.text.contains(#""sub""#) == (method == "GET"))
    #expect(try await server.counts()["resources"] == 3)
    try await server.expectNothingWrong()
  }

  @Test("A redirect to another origin sends nothing there and exits 8")
  func foreign() async throws {
    let server = try await StrictServer()
    let home = try await home(of: server, ["endpoint": "resource", "kind": "redirect"])
    let output = try await home.acct("request", "--follow", "\(server.resource)/resource/start")
    #expect(output.status == 8)
    #expect(output.errorText.contains("refused: \(server.elsewhere) is not an origin of"))
    #expect(try await server.requests(to: "elsewhere").isEmpty)
    try await server.expectNothingWrong()
  }

  @Test("A redirect loop is stopped and exits 11")
  func loop() async throws {
    let server = try await StrictServer()
    let home = try await home(
      of: server,
      ["endpoint": "resource", "kind": "redirect", "count": .null, "location": "/resource/start"]
    )
    let output = try await home.acct("request", "--follow", "\(server.resource)/resource/start")
    #expect(output.status == 11)
    #expect(output.errorText.contains("after 10 redirects"))
    #expect(try await server.requests(to: "resource").count == 11)
    try await server.expectNothingWrong()
  }
}
