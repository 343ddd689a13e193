import AcctTestSupport
import StrictJSON
import Testing

/// Machines that share a keyring for a long time, in bad weather.
///
/// The keyring's key changes each minute meanwhile.
///
/// `make soak-shared` takes 10 minutes, or `SOAK_SECONDS`; `make test-all` a short one. `SOAK_SEED` repeats what was
/// printed of an earlier one, as far as commands and weather go.
@Suite("Long runs on several machines")
struct SharedSoakTests {
  private static let workers = 30

  @Test(
    "30 processes on 3 machines spend no refresh token twice and lose none, whatever fails",
    .enabled(if: TestExtent.isFull || soakSetting("SOAK_SECONDS") as Int? != nil, "only in the long form"),
    arguments: EngineKind.allCases
  )
  func soak(_ kind: EngineKind) async throws {
    let seconds = soakSetting("SOAK_SECONDS") ?? 30
    let seed: UInt64 = soakSetting("SOAK_SEED") ?? 1
    print("\(kind.rawValue), soak: \(seconds) s with seed \(seed)")
    let scene = try await SharedSoakScene(on: kind)
    let end = ContinuousClock.now + .seconds(seconds)
    // A minute, and in a short soak so that each machine has its turn.
    let interval = Duration.seconds(min(60, max(8, seconds / 10)))
    async let keyChanges = SoakKeyChanges.made(scene, every: interval, until: end)
    var (tally, stops) = try await withThrowingTaskGroup(of: (SoakTally, [SoakStop]).self) {
      group in
      group.addTask {
        var weather = SharedSoakWeather(scene: scene, random: SplitMix64(state: seed &+ 1_000))
        try await weather.troubleEngine(until: end)
        return (SoakTally(), [])
      }
      group.addTask {
        var weather = SharedSoakWeather(scene: scene, random: SplitMix64(state: seed &+ 2_000))
        return (SoakTally(), try await weather.stopMachines(until: end))
      }
      for number in 0..<Self.workers {
        group.addTask {
          var worker = SharedSoakWorker(scene, number: number, seed: seed)
          try await worker.work(until: end)
          return (worker.tally, worker.told)
        }
      }
      return try await group.reduce(into: (SoakTally(), [SoakStop]())) {
        $0.0.add($1.0)
        $0.1 += $1.1
      }
    }
    var changes = try await keyChanges
    try await scene.fleet.engine.bringBack()
    try await changes.settle()
    tally.add(changes.tally)
    print("\(kind.rawValue), soak: \(tally)")
    print(
      "\(kind.rawValue), soak: \(changes.done) changes of the key, and \(changes.failed) attempts that the weather ended"
    )
    for (words, verbs) in tally.surprises.sorted(by: { $0.key < $1.key }) {
      Issue.record("\(verbs.sorted()): \(words)")
    }
    try await expectWhole(scene, tally, stops)
  }

  /// With everything healthy again.
  private func expectWhole(_ scene: SharedSoakScene, _ tally: SoakTally, _ stops: [SoakStop]) async throws {
    let fleet = scene.fleet
    try await fleet.engine.bringBack()
    // What is still to be stored is stored first, as the next call on its machine does.
    for home in fleet.homes {
      for subject in scene.subjects { _ = try await scene.token(of: subject, in: home).run() }
    }
    // The last tokens live for an hour: on a busy machine others would be due between one home and the next. A
    // machine uses its copy of a token that is good; a listing brings it what the engine has. A renewal that finds a
    // newer token there takes that, which would be one of before.
    try await fleet.server.set(["lifetime": 3600])
    _ = try await fleet.homes[0].command(["list"]).run()
    for subject in scene.subjects { _ = try await fleet.homes[0].command(["refresh", "--force", "-a", subject]).run() }
    for home in fleet.homes { _ = try await home.command(["list"]).run() }
    var lost = 0
    for subject in scene.subjects {
      var tokens: Set<String> = []
      for home in fleet.homes {
        let token = try await scene.token(of: subject, in: home).run()
        if token.status == 4, token.errorText.contains("interrupted") {
          lost += 1
          break
        }
        #expect(token.status == 0, "\(token.errorText)")
        #expect(TokenText(in: token.text)?.subject == subject)
        tokens.insert(token.text)
      }
      #expect(tokens.count <= 1, "\(subject)")
    }
    let counts = try await fleet.server.counts()
    let replays = try await scene.replays()
    // A machine that is stopped between the server's answer and the write, for longer than a lock lasts, has what
    // the others do not know of: the one window that there is.
    let excused = replays.filter { spentAt in stops.contains { $0.covers(spentAt) } }
    print(
      "\(fleet.kind.rawValue), soak: \(counts["refreshes"] ?? 0) refresh tokens spent, "
        + "\(replays.count) of them twice, \(excused.count) of those in the window of a stopped machine; "
        + "\(lost) accounts lost at the end; \(stops.count) stops of a machine; "
        + "\(tally.toldLosses) renewals said that they could not store what they got"
    )
    #expect(replays.count == excused.count, "\(replays)")
    #expect(lost <= replays.count)
    for home in fleet.homes {
      #expect(try await home.files(containing: secretForms) == [])
      let left = try await home.files().filter {
        $0.contains(".tmp-") || $0.hasPrefix("state/locks/") || $0.contains("shared/pending/")
      }
      #expect(left == [])
    }
    #expect(try await fleet.server.log("misplaced").isEmpty)
  }
}
