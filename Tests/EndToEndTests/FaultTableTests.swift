import AcctTestSupport
import StrictJSON
import Testing

/// Everything that can go wrong with a renewal's one request, over real sockets.
@Suite("A renewal and a server or network in trouble")
struct FaultTableTests {
  /// What goes wrong, what `acct token` must exit with, and what becomes of the session.
  private struct Row {
    var what: String
    var fault: JSON
    var status: Int32
    var said: String
    var options: [String] = []
    var isKept = true
  }

  private static let rows = [
    Row(what: "500", fault: ["endpoint": "token", "kind": "500"], status: 11, said: "500"),
    Row(
      what: "503 with Retry-After",
      fault: ["endpoint": "token", "kind": "503"],
      status: 11,
      said: "Retry-After is 7"
    ),
    Row(
      what: "429 with Retry-After",
      fault: ["endpoint": "token", "kind": "429"],
      status: 9,
      said: "Retry-After is 7"
    ),
    Row(
      what: "connection reset",
      fault: ["endpoint": "token", "kind": "reset"],
      status: 10,
      said: "closed before the answer"
    ),
    Row(
      what: "connection closed",
      fault: ["endpoint": "token", "kind": "close"],
      status: 10,
      said: "closed before the answer"
    ),
    Row(
      what: "no answer at all",
      fault: ["endpoint": "token", "kind": "hang"],
      status: 10,
      said: "no answer in time",
      options: ["--timeout", "1"]
    ),
    Row(
      what: "truncated JSON",
      fault: ["endpoint": "token", "kind": "truncated"],
      status: 11,
      said: "not JSON"
    ),
    Row(
      what: "truncated body",
      fault: ["endpoint": "token", "kind": "truncated", "short": true],
      status: 10,
      said: "closed before the answer"
    ),
    Row(
      what: "HTML with 200",
      fault: ["endpoint": "token", "kind": "html"],
      status: 11,
      said: "not JSON"
    ),
    Row(
      what: "endless body",
      fault: ["endpoint": "token", "kind": "endless"],
      status: 11,
      said: "larger than"
    ),
    Row(
      what: "empty 403",
      fault: ["endpoint": "token", "kind": "empty_403"],
      status: 11,
      said: "403 without a reason"
    ),
    Row(
      what: "redirect elsewhere",
      fault: ["endpoint": "token", "kind": "redirect"],
      status: 11,
      said: "redirects to"
    ),
    Row(
      what: "invalid_grant",
      fault: ["endpoint": "token", "kind": "invalid_grant"],
      status: 4,
      said: "set by a test",
      isKept: false
    ),
    Row(
      what: "metadata: 500",
      fault: ["endpoint": "metadata", "kind": "500"],
      status: 11,
      said: "500"
    ),
    Row(
      what: "metadata: no answer",
      fault: ["endpoint": "metadata", "kind": "hang"],
      status: 10,
      said: "no answer in time",
      options: ["--timeout", "1"]
    ),
    Row(
      what: "metadata: HTML",
      fault: ["endpoint": "metadata", "kind": "html"],
      status: 11,
      said: "not JSON"
    ),
    Row(
      what: "metadata: redirect",
      fault: ["endpoint": "metadata", "kind": "redirect"],
      status: 11,
      said: "metadata"
    ),
  ]

  @Test("keeps the session whatever happens, but for the server's own invalid_grant")
  func table() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    var table = FaultTable()
    for row in Self.rows {
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
      table.add(row.what, failed.status, failed.errorText, next.status)
    }
    print(table)
    try await server.expectNothingWrong()
    #expect(try await server.requests(to: "elsewhere").isEmpty)
  }

  @Test("an answer that is lost on its way loses a session that ends on replay, and says so")
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

  @Test(
    "a wrong clock is put right by the server's Date, with one more try",
    arguments: [3600, -3600]
  )
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

  @Test("a wrong clock that the metadata's Date gives away costs no second try")
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

/// What the table's rows came to, for people to read in the tests' output.
private struct FaultTable: CustomStringConvertible {
  private var lines = [("fault", "exit", "next", "said")]

  mutating func add(_ what: String, _ status: Int32, _ said: String, _ next: Int32) {
    let words = said.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
    lines.append((what, "\(status)", "\(next)", words.joined(separator: "; ")))
  }

  var description: String {
    lines.map { what, status, next, said in
      let gap = String(repeating: " ", count: max(1, 22 - what.count))
      return "  \(what)\(gap)\(status.count < 2 ? " " : "")\(status)  \(next)  \(said)"
    }.joined(separator: "\n")
  }
}
