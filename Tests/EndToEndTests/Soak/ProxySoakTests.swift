import AcctTestSupport
import Testing

/// One proxy for a long time, while other processes of acct change what it keeps.
///
/// `make soak-proxy` makes a million requests, or `SOAK_REQUESTS`; the long forms make 4,000.
@Suite("Long runs of one proxy")
struct ProxySoakTests {
  @Test(
    "Each request by a proxy has one answer, a proof of its own, and no credential that was replaced",
    .enabled(if: TestExtent.isFull || soakSetting("SOAK_REQUESTS") as Int? != nil, "only in the long form"),
    arguments: ProxySoakScene.Place.allCases
  )
  func soak(in place: ProxySoakScene.Place) async throws {
    let requests = soakSetting("SOAK_REQUESTS") ?? 4_000
    print("proxy soak: \(requests) requests, accounts in \(place)")
    let scene = try await ProxySoakScene(requests: requests, in: place)
    defer { scene.stop() }
    let begun = ContinuousClock.now
    // What grows with the first requests stays.
    try await scene.wait(forMore: min(requests / 4, 20_000))
    let before = try await scene.proxy.memory("VmRSS")

    let step = min(requests / 50, 2_000)
    var changes: [ProxySoakScene.Change: Int] = [:]
    while try await scene.tally().answered < requests {
      let change = scene.changes[changes.values.reduce(0, +) % scene.changes.count]
      try await scene.make(change)
      changes[change, default: 0] += 1
      try await scene.wait(forMore: step)
    }
    let took = ContinuousClock.now - begun
    let after = try await scene.proxy.memory("VmRSS")
    let peak = try await scene.proxy.memory("VmHWM")

    let tally = try await scene.tally()
    let counts = try await scene.counts()
    print(
      "proxy soak: in \(took.components.seconds) s; statuses \(tally.statuses); changes "
        + "\(changes); \(counts["refreshes"] ?? 0) refresh tokens spent, \(counts["replays"] ?? 0) of them twice; "
        + "memory \(before) KiB before, \(after) KiB after, at most \(peak) KiB"
    )
    #expect(tally.statuses.values.reduce(0, +) == requests)
    #expect(tally.wrong == [:], "\(scene.proxy.said.prefix(2_000))")
    #expect(counts["replays"] == 0)
    #expect(after - before < Self.growth)
    #expect(await scene.proxy.interrupted() == 0)
  }

  /// In KiB: the memory of its threads grows with the first ten thousands of requests, by 5 MiB and no more; of a million,
  /// a leak of 12 bytes each would be seen.
  private static let growth = 12 << 10
}
