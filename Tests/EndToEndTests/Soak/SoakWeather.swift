import AcctTestSupport
import StrictJSON

/// The faults during the commands: of a keyring and of a network.
struct SoakWeather {
  let scene: SoakScene
  var random: SplitMix64

  /// The keyring locks, freezes, dies and comes back, until the time is over.
  ///
  /// - Returns: How often it died of itself. GNOME Keyring does, where a caller that it has just
  ///   registered is gone by the time that it opens its session: as after a freeze.
  mutating func trouble(keyringUntil end: ContinuousClock.Instant) async throws -> Int {
    var deaths = 0
    while ContinuousClock.now < end {
      try await pause(1000...5000)
      do { try await trouble() } catch let error as HarnessFailure {
        guard scene.keyring.hasEnded else { throw error }
        deaths += 1
        try scene.keyring.startLocked()
        try scene.keyring.unlock()
      }
    }
    return deaths
  }

  /// A fault of the keyring, which passes.
  private mutating func trouble() async throws {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      try scene.keyring.lock()
      try await pause(200...4000)
    case 1:
      scene.keyring.freeze()
      try await pause(200...7000)
      scene.keyring.thaw()
    default:
      scene.keyring.kill()
      try await pause(100...2000)
      try scene.keyring.startLocked()
      try await pause(0...1000)
    }
    try scene.keyring.unlock()
  }

  /// The clock jumps by 9 hours, and the disk is full, in turn, until the time is over.
  mutating func trouble(machineUntil end: ContinuousClock.Instant) async throws {
    let jumps = [32_400, 0, -32_400, 0]
    var turn = 0
    while ContinuousClock.now < end {
      scene.machine.secondsAhead = jumps[turn % jumps.count]
      try await pause(1000...6000)
      scene.machine.fill()
      try await pause(200...2000)
      scene.machine.free()
      turn += 1
    }
    scene.machine.secondsAhead = 0
  }

  /// Servers close connections, fail, dawdle and talk nonsense, until the time is over.
  mutating func trouble(networkUntil end: ContinuousClock.Instant) async throws {
    while ContinuousClock.now < end {
      try await scene.strict.fault(fault("token"))
      try await scene.strict.fault(fault("metadata"))
      try await scene.plain.fault(fault("token"))
      try await scene.sessions.fault(fault("session"))
      try await pause(1000...6000)
    }
    for server in [scene.strict, scene.plain] {
      try await server.fault(nil)
      try await server.control("release")
    }
    try await scene.sessions.fault(nil)
    try await scene.sessions.release()
  }

  /// None of these takes effect first: what a lost answer costs is tried elsewhere.
  private mutating func fault(_ endpoint: String) -> JSON {
    let kinds: [JSON] = ["close", "reset", "503", "html", "truncated", "delay"]
    return [
      "endpoint": .string(endpoint), "kind": kinds[Int.random(in: 0..<kinds.count, using: &random)],
      "ms": .number(JSONNumber(Int64.random(in: 10...2000, using: &random))),
      "count": .number(JSONNumber(Int64.random(in: 1...2, using: &random))),
    ]
  }

  /// Nothing is waited for: weather has its own time.
  private mutating func pause(_ milliseconds: ClosedRange<Int>) async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds, using: &random)))
  }
}
