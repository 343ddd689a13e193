import AcctTestSupport
import StrictJSON
import Testing

/// Many processes for a long time, on a keyring and a network that fail at random.
///
/// `make soak` takes 10 minutes, or `SOAK_SECONDS`; without that it is a short one. `SOAK_SEED`
/// repeats what was printed of an earlier one, as far as commands and weather go.
@Suite("Long runs with many processes")
struct SoakTests {
  private static let workers = 30

  @Test("30 processes under constant faults leave every account whole and its own")
  func soak() async throws {
    let seconds = soakSetting("SOAK_SECONDS") ?? 12
    let seed: UInt64 = soakSetting("SOAK_SEED") ?? 1
    print("soak: \(seconds) s with seed \(seed)")
    let scene = try await SoakScene()
    defer { scene.keyring.stop() }
    let end = ContinuousClock.now + .seconds(seconds)

    let tally = try await withThrowingTaskGroup(of: SoakTally.self) { group in
      group.addTask {
        var weather = SoakWeather(scene: scene, random: SplitMix64(state: seed &+ 1_000))
        return SoakTally(keyringDeaths: try await weather.trouble(keyringUntil: end))
      }
      group.addTask {
        var weather = SoakWeather(scene: scene, random: SplitMix64(state: seed &+ 2_000))
        try await weather.trouble(networkUntil: end)
        return SoakTally()
      }
      group.addTask {
        var weather = SoakWeather(scene: scene, random: SplitMix64(state: seed &+ 3_000))
        try await weather.trouble(machineUntil: end)
        return SoakTally()
      }
      for number in 0..<Self.workers {
        group.addTask {
          var worker = SoakWorker(scene, number: number, seed: seed)
          try await worker.work(until: end)
          return worker.tally
        }
      }
      return try await group.reduce(into: SoakTally()) { $0.add($1) }
    }
    print("soak: \(tally)")
    for (words, verbs) in tally.surprises.sorted(by: { $0.key < $1.key }) {
      Issue.record("\(verbs.sorted()): \(words)")
    }
    try await expectWhole(scene, tally)
  }

  /// With everything healthy again.
  private func expectWhole(_ scene: SoakScene, _ tally: SoakTally) async throws {
    let ids = try await scene.home.accounts().compactMap { $0["id"]?.stringValue }
    #expect(Set(ids) == Set(scene.accounts.map(\.id)) && ids.count == scene.accounts.count)
    var lost = 0
    for account in scene.accounts {
      let header = try await scene.home.acct("header", "-a", account.id, account.url)
      if header.status == 4, header.errorText.contains("interrupted") {
        lost += 1
        continue
      }
      #expect(header.status == 0, "\(header.errorText)")
      #expect(account.owns(header.text))
      let answer = try await ChildProcess(
        "curl",
        ["-sS", "--noproxy", "*", "-H", "@-", account.url],
        input: header.text
      ).run()
      let body = try? JSON(parsing: answer.standardOutput).objectValue
      #expect(body?["sub"]?.stringValue == account.subject, "\(answer.text)")
      if account.kind != .guest {
        let renewed = try await scene.home.acct("refresh", "--force", account.id)
        #expect(renewed.status == 0, "\(renewed.errorText)")
      }
    }

    let dpop = try await scene.strict.counts()
    let bearer = try await scene.plain.counts()
    let replays = (dpop["replays"] ?? 0) + (bearer["replays"] ?? 0)
    let refreshes = (dpop["refreshes"] ?? 0) + (bearer["refreshes"] ?? 0)
    print(
      "soak: \(refreshes) refresh tokens spent, \(replays) of them twice; \(lost) accounts lost at "
        + "the end, \(tally.toldLosses) renewals said that they could not store what they got; "
        + "sealed sessions: \(try await scene.sessions.counts()); "
        + "the keyring died \(tally.keyringDeaths) times of itself"
    )
    // Only what could not be stored, and was told of, may be spent twice.
    #expect(replays <= tally.toldLosses)
    #expect(lost <= tally.toldLosses)
    for server in [scene.strict, scene.plain] { #expect(try await server.log("misplaced").isEmpty) }

    #expect(try await scene.home.files(containing: secretForms + #"|Fe26\.2"#) == [])
    let left = try await scene.home.files().filter { $0.contains(".tmp-") || $0.hasPrefix("state/locks/") }
    #expect(left == [])
  }
}
