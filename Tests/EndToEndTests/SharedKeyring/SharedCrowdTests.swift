import AcctTestSupport
import StrictJSON
import Testing

/// Processes on several machines that all find the same expired token, at a server that ends a session when a
/// refresh token is used twice.
@Suite("A renewal on several machines")
struct SharedCrowdTests {
  /// How many processes there are while an engine fails: some on each machine.
  private static let few = TestExtent.count(6, full: 15)

  @Test("60 processes on 3 machines make one refresh and print the same new token", arguments: EngineKind.allCases)
  func crowd(_ kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    for round in 1...TestExtent.count(1, full: 5) { try await renew(fleet, 60, "60 processes, round \(round)") {} }
    try await fleet.server.expectNothingWrong()
  }

  @Test(
    "A renewal comes to its end on all machines while etcd's leader is killed, frozen or cut off",
    arguments: Blow.allCases
  )
  func leader(_ blow: Blow) async throws {
    let engine =
      blow == .cutOff
      ? try await EngineKind.etcd.start(cables: true) : try await EngineKind.etcd.ofSuite()
    let fleet = try await Fleet(on: .etcd, engine)
    try await renew(fleet, Self.few, "leader \(blow.rawValue)") { try await engine.strike(blow) }
    try await engine.bringBack()
    try await renew(fleet, Self.few, "leader back") {}
    try await fleet.server.expectNothingWrong()
  }

  @Test(
    "A renewal comes to its end on all machines while PostgreSQL is killed or frozen, and comes back",
    arguments: [Blow.killed, .frozen]
  )
  func onlyServer(_ blow: Blow) async throws {
    let fleet = try await Fleet(on: .postgres)
    // There is no other member: who has nothing to store is told at once, or waits.
    try await renew(fleet, Self.few, "server \(blow.rawValue)", endings: [0, 7]) {
      try await fleet.engine.strike(blow)
    } afterwards: {
      try await fleet.engine.bringBack()
    }
    try await renew(fleet, Self.few, "server back") {}
    try await fleet.server.expectNothingWrong()
  }

  /// Has many processes want a token that has expired, while the server holds the one request for a new one.
  ///
  /// A process may end with one of the statuses `endings`; a token comes with 0 alone. `meanwhile` is called while the
  /// server holds the request, and `afterwards` when it has answered.
  private func renew(
    _ fleet: Fleet,
    _ count: Int,
    _ what: String,
    endings: [Int32] = [0],
    meanwhile: () async throws -> Void,
    afterwards: () async throws -> Void = {}
  ) async throws {
    try await fleet.importExpired()
    let before = try #require(try await fleet.server.counts()["refreshes"])
    try await fleet.hold()
    let crowd = try (0..<count).map { try RunningProcess(fleet.token(on: $0 % 3)) }
    try await fleet.server.wait(held: 1)
    try await meanwhile()
    let released = ContinuousClock.now
    try await fleet.server.control("release")
    try await afterwards()

    var tokens: Set<[UInt8]> = []
    var told = 0
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      let message = String(decoding: process.standardError.contents(), as: UTF8.self)
      #expect(endings.contains(status), "\(what): \(message)")
      let token = process.standardOutput.contents()
      #expect(token.isEmpty == (status != 0), "\(what)")
      if status == 0 { tokens.insert(token) } else { told += 1 }
    }
    #expect(tokens.count == 1, "\(what)")
    let counts = try await fleet.server.counts()
    let refreshes = (counts["refreshes"] ?? 0) - before
    print(
      "\(fleet.kind.rawValue), \(what): \(count) calls, \(told) of them ended with 7, \(refreshes) renewal, \(counts["replays"] ?? 0) reused, "
        + "\(tokens.count) token, \(ContinuousClock.now - released) after the server's answer"
    )
    #expect(refreshes == 1, "\(what)")
    #expect(counts["replays"] == 0, "\(what)")
  }
}
