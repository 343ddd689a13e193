import AcctTestSupport
import Synchronization
import Testing

/// The results of the faults at a command.
struct TortureTally: CustomStringConvertible {
  /// Calls, and faults at them.
  var points = 0
  var faults = 0
  /// Faults at calls that the command did not come to, nor to an earlier one of that kind.
  var unmet = 0
  /// What the user saw of the rest: success, an error, or nothing any more.
  var unnoticed = 0
  var errors = 0
  var kills = 0
  var lost: [String] = []
  var litter = TortureScene.Litter()

  mutating func add(_ other: TortureTally) {
    faults += other.faults
    unmet += other.unmet
    unnoticed += other.unnoticed
    errors += other.errors
    kills += other.kills
    lost += other.lost
    litter.temporary += other.litter.temporary
    litter.locks += other.litter.locks
  }

  var description: String {
    "\(points) points, \(faults) faults: \(unnoticed) overcome, \(errors) told, \(kills) kills, "
      + "\(unmet) not met; \(lost.count) sessions lost between the answer and the first write "
      + "\(lost); left \(litter.temporary) temporary files, \(litter.locks) locks' files"
  }
}

/// Faults that are yet to be tried, shared by lanes.
final class Injections: Sendable {
  private let rest: Mutex<[Injection]>

  init(_ injections: [Injection]) { rest = Mutex(injections.reversed()) }

  func next() -> Injection? { rest.withLock { $0.popLast() } }
}

/// Puts one fault after the other on a command, in a scene of its own.
struct TortureLane {
  private var scene: TortureScene
  private let injector: FaultInjector

  init(_ scene: TortureScene) throws {
    self.scene = scene
    injector = try FaultInjector()
  }

  /// The calls that a command makes, when it has been run in the scene before.
  mutating func points(of ordeal: Ordeal) async throws -> [FaultPoint] {
    var points: [FaultPoint] = []
    defer { scene.comeHome() }
    for _ in 0..<2 {
      let trial = try await ordeal.prepare(&scene)
      let (output, counted) = try await injector.count(trial.command)
      try #require(output.status == 0, "\(ordeal.name): \(output.errorText)")
      _ = try await trial.judge(Aftermath(scene: scene, output: output, injection: nil))
      points = counted
    }
    return points
  }

  mutating func torture(_ ordeal: Ordeal, by injections: Injections) async throws -> TortureTally {
    var tally = TortureTally()
    defer { scene.comeHome() }
    while let injection = injections.next() { try await torture(ordeal, by: injection, &tally) }
    return tally
  }

  private mutating func torture(_ ordeal: Ordeal, by injection: Injection, _ tally: inout TortureTally) async throws {
    let trial = try await ordeal.prepare(&scene)
    let (output, wasMet) = try await injector.run(trial.command, injection)
    let after = Aftermath(scene: scene, output: output, injection: injection)
    // In how many parts an answer arrives is a matter of timing, so a run may have fewer reads than the counted one.
    if !wasMet, let earlier = injection.earlier {
      _ = try await trial.judge(after)
      return try await torture(ordeal, by: earlier, &tally)
    }
    tally.faults += 1
    let left = try await scene.litter(after.comment)
    if !wasMet {
      tally.unmet += 1
    } else if after.isDone {
      tally.unnoticed += 1
    } else if after.wasKilled {
      #expect(injection.fault.kills, after.comment)
      tally.kills += 1
    } else {
      tally.errors += 1
      #expect(Self.statuses.contains(output.status), after.comment)
      #expect(output.errorText.contains("acct: "), after.comment)
    }
    // A process that lives tidies up, unless it is just that which fails: a lock that was not got
    // may be another's by the time.
    if !after.wasKilled && !["unlink", "lock"].contains(injection.point.kind) {
      #expect(left.temporary == 0 && left.locks == 0, after.comment)
    }
    switch try await trial.judge(after) {
    case .sound: break
    case .lost: tally.lost.append("\(injection)")
    }
    if ordeal.isInUse { try await scene.expectBystander(after.comment) }
    let last = try await scene.litter(after.comment)
    tally.litter.temporary += last.temporary
    tally.litter.locks += last.locks
    if last.temporary + last.locks > 0 { try await scene.sweep() }
  }

  /// What a command may end with that could not do its work; not 0, and no signal's.
  private static let statuses: Set<Int32> = [1, 4, 6, 7, 10, 11, 65]
}
