import AcctTestSupport
import Glibc
import Testing

/// What fails during a soak: the engine's members, the network, and the machines themselves.
struct SharedSoakWeather {
  let scene: SharedSoakScene
  var random: SplitMix64

  /// Members are killed, stopped and cut off, one at a time and sometimes too many, until the time is over.
  mutating func troubleEngine(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock.now < end {
      try await pause(1000...4000)
      guard let etcd = scene.fleet.engine as? EtcdEngine else {
        try await scene.fleet.engine.strike(Bool.random(using: &random) ? .killed : .frozen)
        try await pause(200...4000)
        try await scene.fleet.engine.bringBack()
        continue
      }
      let blow = Blow.allCases[Int.random(in: 0..<3, using: &random)]
      let first = Int.random(in: 0..<3, using: &random)
      // Two of three: nothing is agreed on meanwhile.
      let isMost = Int.random(in: 0..<4, using: &random) == 0
      let members = isMost ? [first, (first + 1) % 3] : [first]
      for member in members { try await etcd.strike(blow, member) }
      try await pause(200...6000)
      for member in members { try await etcd.heal(blow, member) }
    }
    try await scene.fleet.engine.bringBack()
  }

  /// All that runs on a machine is stopped for longer than a lock lasts, until the time is over.
  ///
  /// - Returns: When.
  mutating func stopMachines(until end: ContinuousClock.Instant) async throws -> [SoakStop] {
    var stops: [SoakStop] = []
    while ContinuousClock.now < end {
      try await pause(1000...8000)
      let machine = Int.random(in: 0..<scene.fleet.homes.count, using: &random)
      let begin = SoakStop.now()
      let wake = scene.stop(machine)
      try await pause(1000 * (SharedSoakScene.lock + 1)...1000 * (SharedSoakScene.lock + 4))
      wake()
      stops.append(SoakStop(begin: begin, end: SoakStop.now()))
    }
    return stops
  }

  /// Nothing is waited for: weather has its own time.
  private mutating func pause(_ milliseconds: ClosedRange<Int>) async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds, using: &random)))
  }
}
