import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A signal that comes while a renewal is in flight, when a refresh token that is good for one use is
/// on its way.
@Suite("A signal during a renewal")
struct RenewalSignalTests {
  @Test(
    "A signal during a renewal waits until the new tokens are stored, and then ends acct",
    arguments: [SIGINT, SIGTERM, SIGHUP]
  )
  func held(number: Int32) async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    try await server.fault(["endpoint": "token", "kind": "delay", "process": true, "count": 1])
    let process = try RunningProcess(home.command(["token"]))
    try await server.wait(held: 1)
    process.send(number)
    try await server.control("release")
    #expect(await process.ended() == 128 + number)

    #expect(try await home.acct("token", "--offline").status == 0)
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await server.counts()["replays"] == 0)
    try await server.expectNothingWrong()
  }
}
