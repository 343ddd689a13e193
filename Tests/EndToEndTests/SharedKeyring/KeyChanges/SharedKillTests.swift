import AcctTestSupport
import Testing

/// A change of the key that is killed, wherever that may be, on real engines.
@Suite("Changes of a shared keyring's key that are killed")
struct SharedKillTests {
  private static let rekey = ["keyring", "rekey", "--no-input"]
  private static let kills = TestExtent.count(20, full: 200)
  /// Fleets on each engine, whose commands wait most of their time.
  private static let lanes = TestExtent.count(1, full: 2)

  @Test(
    "`keyring rekey` that is killed at any call loses no account, and the same command leaves no object of a former key"
  )
  func rekey() async throws {
    try await EngineKind.each { kind in
      let first = try await KilledChange(on: kind)
      // The first change makes files that the later ones find.
      _ = try await first.points(of: Self.rekey)
      let points = try await first.points(of: Self.rekey)
      // Evenly among all; where there are fewer, some come twice, from another state.
      let chosen = (0..<Self.kills).map { points[$0 * points.count / Self.kills] }
      let tally = try await withThrowingTaskGroup(of: KilledChange.Tally.self) { group in
        for lane in 0..<Self.lanes {
          let mine = stride(from: lane, to: chosen.count, by: Self.lanes).map { chosen[$0] }
          var scene = lane == 0 ? first : try await KilledChange(on: kind)
          group.addTask {
            for injection in mine { try await kill(at: injection, &scene) }
            #expect(scene.wasNamed)
            return try await scene.end()
          }
        }
        return try await group.reduce(into: KilledChange.Tally()) { $0.add($1) }
      }
      print("\(kind.rawValue): kills in rekey at \(points.count / 2) calls: \(tally)")
      #expect(tally.kills == Self.kills)
    }
  }

  private func kill(at injection: Injection, _ scene: inout KilledChange) async throws {
    guard try await scene.kill(Self.rekey, at: injection) else { return }
    let comment = Comment(rawValue: "\(scene.fleet.kind.rawValue), killed at \(injection)")
    try await scene.expectNamed(comment)
    try await scene.expectUsable(comment)
    // Another machine goes on as well as the one that began.
    try await scene.repeated(Self.rekey, on: scene.tally.kills % 4 == 3 ? 1 : 0, comment)
    try scene.expectOneKey(comment)
    if scene.tally.kills.isMultiple(of: 20) { try await scene.expectWhole(comment) }
  }

  @Test("`keyring remove` that is killed has removed the machine when it is given again")
  func remove() async throws {
    let wanted = TestExtent.count(2, full: 10)
    try await EngineKind.each { kind in
      var scene = try await KilledChange(on: kind)
      let points = try await scene.points(of: ["keyring", "remove", try await scene.newcomer().name, "--no-input"])
      for number in 0..<wanted {
        let (lost, name) = try await scene.newcomer()
        let command = ["keyring", "remove", name, "--no-input"]
        let injection = points[(2 * number + 1) * points.count / (2 * wanted)]
        let comment = Comment(rawValue: "\(kind.rawValue), remove killed at \(injection)")
        #expect(try await scene.kill(command, at: injection), comment)
        try await scene.expectUsable(comment)
        try await scene.repeated(command, on: number % 2, comment)
        try scene.expectOneKey(comment)
        let refused = try await lost.acct("refresh", "--force", "user-1", "--no-input")
        #expect(refused.status == 6, "\(comment.rawValue): \(refused.errorText)")
      }
      print("\(kind.rawValue): kills in remove: \(try await scene.end())")
    }
  }
}
