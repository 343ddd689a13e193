import AcctTestSupport
import StrictJSON
import Testing

/// Everything that can go wrong with a renewal's one request, over real sockets.
@Suite("A renewal and failures of server and network")
struct FaultTableTests {
  @Test("A renewal keeps the session after every failure except the server's own invalid_grant")
  func table() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    var report = FaultReport()
    for row in FaultRow.all {
      try await home.importExpired(from: server)
      let before = try await server.counts()["refreshes"]
      try await server.fault(row.fault)
      let failed = try await home.command(["token"] + row.options).run()
      #expect(failed.status == row.status, "\(row.what): \(failed.errorText)")
      #expect(failed.text.isEmpty, "\(row.what)")
      #expect(failed.errorText.contains(row.said), "\(row.what): \(failed.errorText)")
      #expect(try await server.counts()["refreshes"] == before, "\(row.what)")
      try await server.fault(nil)
      try await server.control("release")

      let next = try await home.acct("token")
      #expect(next.status == (row.isKept ? 0 : 4), "\(row.what): \(next.errorText)")
      #expect(next.text.isEmpty != row.isKept, "\(row.what)")
      report.add(row.what, failed.status, failed.errorText, next.status)
    }
    print(report)
    try await server.expectNothingWrong()
    #expect(try await server.requests(to: "elsewhere").isEmpty)
  }

  @Test("A 429 with Retry-After is obeyed by the next commands, which send nothing")
  func limited() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    try await server.fault(["endpoint": "token", "kind": "status", "status": 429, "retry_after": "3600"])
    let first = try await home.acct("token")
    #expect(first.status == 9 && first.errorText.contains("hint: try again in 1 h, at "), "\(first.errorText)")
    let sent = try await server.requests(to: "token").count
    #expect(try await home.acct("refresh", "--force").status == 9)
    #expect(try await home.acct("limits").text.contains(" renewals  retry in "))
    #expect(try await server.requests(to: "token").count == sent)
  }

  @Test("A lost answer loses a session that ends on replay, and acct says so")
  func lost() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    try await server.fault(["endpoint": "token", "kind": "lost", "skip": 1])
    #expect(try await home.acct("token").status == 10)
    #expect(try await server.counts()["refreshes"] == 1)
    let next = try await home.acct("token")
    #expect(next.status == 4)
    #expect(next.errorText.contains("interrupted"))
    #expect(next.errorText.contains("sign in again"))
  }

  @Test("A wrong clock is corrected by the server's Date with one retry", arguments: [3600, -3600])
  func wrongClock(offset: Int64) async throws {
    let server = try await StrictServer(["nonce_seconds": 0])
    let home = try AcctHome()
    // Knows the nonce from here on.
    try await home.importExpired(from: server)
    #expect(try await home.acct("token").status == 0)
    try await home.importExpired(from: server)
    try await server.set(["clock_offset": .number(JSONNumber(offset))])
    // The metadata's Date would give it away beforehand, and here the second try is at stake.
    try await server.fault(["endpoint": "metadata", "kind": "date", "offset": 0])

    let sent = try await server.requests(to: "token").count
    let renewed = try await home.acct("token")
    #expect(renewed.status == 0, "\(renewed.errorText)")
    let tries = try await server.requests(to: "token").dropFirst(sent)
    #expect(tries.map { $0["status"] } == [400, 200])
    #expect(tries.first?["error"] == "invalid_dpop_proof")
    #expect(try await server.counts()["replays"] == 0)
  }

  @Test("A wrong clock that the metadata's Date reveals needs no retry")
  func wrongClockSeenBefore() async throws {
    let server = try await StrictServer(["as_nonce": false])
    let home = try AcctHome()
    try await home.importExpired(from: server)
    try await server.set(["clock_offset": 3600])
    #expect(try await home.acct("token").status == 0)
    #expect(try await server.requests(to: "token").map { $0["status"] } == [200])
    try await server.expectNothingWrong()
  }
}
