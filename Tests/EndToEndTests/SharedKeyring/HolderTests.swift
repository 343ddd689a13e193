import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A process that holds the right to renew, and is killed or stopped: on its own machine it is seen to be dead,
/// on others it is waited for, for as long as its lock says (15 seconds and its `--timeout`).
@Suite("A renewal that is killed or stopped")
struct HolderTests {
  /// Far shorter than a lock lasts that was made with ``longTimeout``.
  private static let limit = Duration.seconds(60)
  private static let longTimeout = 600
  /// In seconds: enough for a server that waits for a processor, and a lock lasts only 15 longer.
  private static let shortTimeout = 3

  @Test("A renewal that was killed before it sent anything is made again at once on the same machine")
  func killedOnSameMachine() async throws { try await EngineKind.each { try await killedOnSameMachine(on: $0) } }

  private func killedOnSameMachine(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    let number = try await spendingRequest(fleet)
    try await fleet.importExpired()
    let command = fleet.token(on: 0, timeout: Self.longTimeout)
    _ = try await StoppedRenewal(at: .killedBeforeSending, of: command, fleet.server, number: number)
    let next = try await fleet.token(on: 0).run(limit: Self.limit)
    #expect(next.status == 0, "\(next.errorText)")
    print("\(kind.rawValue), killed before sending, same machine: renewed at once")
    try await fleet.expect(refreshes: 2)
  }

  @Test("Another machine waits for as long as a lock lasts, and then neither loses nor repeats a renewal")
  func otherMachine() async throws { try await EngineKind.each { try await otherMachine(on: $0) } }

  private func otherMachine(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    let number = try await spendingRequest(fleet)
    let file = try await fileBeforeConnecting(fleet)
    for subject in ["dead", "early", "earlier", "late"] { try await fleet.importExpired(subject) }
    let refreshes = try #require(try await fleet.server.counts()["refreshes"])
    let sent = try await fleet.server.requests(to: "token").count
    let server = fleet.server
    let begun = ContinuousClock.now
    let late = try await StoppedRenewal(
      at: .stoppedAfterAnswer,
      of: fleet.token(of: "late", on: 0, timeout: Self.shortTimeout),
      server,
      number: number
    )
    _ = try await StoppedRenewal(
      at: .killedBeforeSending,
      of: fleet.token(of: "dead", on: 0, timeout: Self.shortTimeout),
      server,
      number: number
    )
    let early = try await StoppedRenewal(
      at: .stoppedBeforeSending,
      of: fleet.token(of: "early", on: 0, timeout: Self.shortTimeout),
      server,
      number: number
    )
    let earlier = try await StoppedRenewal(
      at: .stoppedBeforeConnecting,
      of: fleet.token(of: "earlier", on: 0, timeout: Self.shortTimeout),
      server,
      number: file
    )
    try await fleet.expect(refreshes: refreshes + 1)

    let others = try ["dead", "early", "earlier"].map { subject in
      try RunningProcess(fleet.token(of: subject, on: 1, timeout: Self.shortTimeout))
    }
    var tokens: [String] = []
    for process in others {
      let output = await process.output()
      #expect(output.status == 0, "\(output.errorText)")
      tokens.append(output.text)
    }
    let waited = ContinuousClock.now - begun
    #expect(waited >= .seconds(16), "a lock of 18 s was not waited for")
    try await fleet.expect(refreshes: refreshes + 4)

    // Its time is over, and what it was about to send has been spent by another. A connection for which it has
    // waited longer than its timeout is given up as well.
    let woken = await early.wake()
    #expect([0, 10].contains(woken.status), "\(woken.errorText)")
    #expect(woken.text == (woken.status == 0 ? tokens[1] : ""))
    let next = try await fleet.token(of: "early", on: 0).run()
    #expect(next.status == 0 && next.text == tokens[1], "\(next.errorText)")
    let wokenEarlier = await earlier.wake()
    #expect(wokenEarlier.status == 0, "\(wokenEarlier.errorText)")
    #expect(wokenEarlier.text == tokens[2])
    #expect(try await server.requests(to: "token").count == sent + 4)

    // Its time is over, too, but what it has got is the newest.
    let stored = await late.wake()
    #expect(stored.status == 0, "\(stored.errorText)")
    let elsewhere = try await fleet.token(of: "late", on: 2).run()
    #expect(elsewhere.status == 0, "\(elsewhere.errorText)")
    #expect(elsewhere.text == stored.text && !stored.text.isEmpty)
    try await fleet.expect(refreshes: refreshes + 4)
    print(
      "\(kind.rawValue), killed before sending, another machine: renewed after \(waited); stopped before "
        + "sending: did not send; stopped after the answer: stored; 7 calls, 4 renewals, 0 reused, 0 lost"
    )
    try await server.expectNothingWrong()
  }

  @Test("A renewal killed between the server's answer and the write is lost, and the next call says so")
  func killedAfterAnswer() async throws { try await EngineKind.each { try await killedAfterAnswer(on: $0) } }

  private func killedAfterAnswer(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    try await fleet.importExpired()
    try await fleet.hold(afterEffect: true)
    let holder = try RunningProcess(fleet.token(on: 0, timeout: Self.longTimeout))
    try await fleet.server.wait(held: 1)
    holder.send(SIGKILL)
    #expect(await holder.ended() == 128 + SIGKILL)
    try await fleet.server.control("release")
    let next = try await fleet.token(on: 0).run(limit: Self.limit)
    #expect(next.status == 4)
    #expect(next.errorText.contains("interrupted"), "\(next.errorText)")
    // What is told is told on every machine, and a sign-in on one mends all.
    let elsewhere = try await fleet.token(on: 1).run(limit: Self.limit)
    #expect(elsewhere.status == 4)
    try await fleet.importing(["sub": "user-1", "expires_in": 3600])
    let mended = try await fleet.token(on: 1).run(limit: Self.limit)
    #expect(mended.status == 0, "\(mended.errorText)")
    print("\(kind.rawValue), killed between answer and write: 1 lost, and said")
  }

  private func fileBeforeConnecting(_ fleet: Fleet) async throws -> Int {
    try await fleet.importExpired()
    let command = fleet.token(on: 0)
    return try await StoppedRenewal.fileBeforeConnecting(in: command, fleet.server)
  }

  /// The number of the request that spends a refresh token, among those of one call.
  private func spendingRequest(_ fleet: Fleet) async throws -> Int {
    try await fleet.importExpired()
    let before = try await fleet.server.log("requests").count
    let renewed = try await fleet.token(on: 0).run()
    try #require(renewed.status == 0, "\(renewed.errorText)")
    return try await fleet.server.log("requests").count - before
  }
}
