import AcctTestSupport
import Testing

/// Changes the keyring's key during a soak, from one machine after the other.
struct SoakKeyChanges {
  let scene: SharedSoakScene
  private(set) var tally = SoakTally()
  /// Changes that came to their end, the second attempt of one that failed as well.
  private(set) var done = 0
  /// Attempts that the weather ended.
  private(set) var failed = 0

  /// A number that no worker has.
  private static let worker = 1_000_000
  /// Statuses of a command that the engine, or a machine that goes on writing, kept from its end.
  private static let weather: Set<Int32> = [7, 10, 11]

  /// Changes the key at intervals until the time is over; one that fails for the weather is tried again at once.
  static func made(
    _ scene: SharedSoakScene,
    every interval: Duration,
    until end: ContinuousClock.Instant
  ) async throws -> SoakKeyChanges {
    var changes = SoakKeyChanges(scene: scene)
    try await changes.work(every: interval, until: end)
    return changes
  }

  private mutating func work(every interval: Duration, until end: ContinuousClock.Instant) async throws {
    var next = ContinuousClock.now + interval
    while next < end {
      try await Task.sleep(until: next)
      next += interval
      var hasEnded = false
      while !hasEnded, ContinuousClock.now < end { hasEnded = try await change(on: done % scene.fleet.homes.count) }
    }
  }

  /// Changes the key in good weather, which ends whatever change was interrupted.
  mutating func settle() async throws {
    let hasEnded = try await change(on: 0)
    #expect(hasEnded, "\(tally)")
  }

  /// - Returns: `false` if it has to be tried again.
  private mutating func change(on machine: Int) async throws -> Bool {
    let words = ["keyring", "rekey", "--no-input", "--timeout", "\(SharedSoakScene.timeout)"]
    let output = try await scene.run(scene.fleet.homes[machine].command(words), on: machine, by: Self.worker)
    tally.count("rekey", output.status)
    guard output.status != 0 else {
      done += 1
      return true
    }
    guard Self.weather.contains(output.status) else {
      tally.surprises["\(output.status): \(output.errorText.prefix(400))", default: []].insert("rekey")
      return true
    }
    failed += 1
    return false
  }
}
