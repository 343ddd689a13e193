import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// One home and one server, and an `acct token` in them that is killed again and again.
struct KillLane {
  private let home: AcctHome
  private let server: StrictServer
  private let id: String
  private var random: SplitMix64
  /// How long a renewal takes that is left alone.
  private let duration: Duration

  init(seed: UInt64) async throws {
    // Every token has expired when it comes, so that every call renews.
    server = try await StrictServer(["expires_in": 0])
    home = try AcctHome()
    try await home.importExpired(from: server)
    id = try await home.accountID()
    random = SplitMix64(state: seed)
    var durations: [Duration] = []
    for _ in 0..<9 {
      let started = ContinuousClock.now
      let token = try await home.acct("token")
      durations.append(.now - started)
      try #require(token.status == 0, "\(token.errorText)")
    }
    duration = durations.sorted()[durations.count / 2]
  }

  /// Kills so many renewals, and looks after each what is left.
  consuming func kill(_ count: Int) async throws -> KillTally {
    var lane = self
    var tally = KillTally()
    while tally.kills < count {
      let before = try await lane.state()
      guard try await lane.killOne() else { continue }
      tally.kills += 1
      let after = try await lane.state()
      let wasAnswered = after.refreshes > before.refreshes
      let wasKept = after.refreshToken != before.refreshToken
      #expect(wasAnswered || !wasKept)
      if wasAnswered { tally.answered += 1 }
      if wasAnswered && !wasKept { tally.losses += 1 }
      try await lane.expectHealed(isLost: wasAnswered && !wasKept)
    }
    tally.litter = try await lane.expectNothingStray()
    return tally
  }

  /// Starts a renewal and kills it at a random moment; `false` if it was over before.
  private mutating func killOne() async throws -> Bool {
    let moment = duration * Double.random(in: 0..<1, using: &random)
    let process = try RunningProcess(home.command(["token"]))
    // Not to wait for anything: the moment itself is what is tried.
    try await Task.sleep(for: moment)
    process.send(SIGKILL)
    let status = await process.ended()
    // What it had sent is still to be read, and may still have its effect.
    try await server.waitUntilIdle()
    guard status != 0 else { return false }
    #expect(status == 128 + SIGKILL)
    return status == 128 + SIGKILL
  }

  /// What the server knows, and what is on disk: a sealed item looks new each time it is written.
  private func state() async throws -> (refreshes: Int64, refreshToken: [UInt8]) {
    (
      try await server.count("refreshes"),
      try #require(home.contents(of: "data/vault/oauth.\(id).refreshToken"))
    )
  }

  /// Asserts that the next call works, or says what was lost and why.
  private func expectHealed(isLost: Bool) async throws {
    #expect(try await home.accountID() == id)
    let replays = try await server.count("replays")
    let next = try await home.acct("token")
    #expect(next.status == (isLost ? 4 : 0), "\(next.errorText)")
    #expect(try await server.count("replays") == replays + (isLost ? 1 : 0))
    guard isLost || next.status != 0 else {
      #expect(next.text.hasPrefix("eyJ") && next.text.hasSuffix("\n"))
      return
    }
    #expect(next.errorText.contains("interrupted"))
    try await home.importExpired(from: server)
    #expect(try await home.acct("token").status == 0)
  }

  /// Asserts that no secret and no lock lies about; returns how many temporary files do.
  private func expectNothingStray() async throws -> Int {
    #expect(try await home.files(holding: secretForms).isEmpty)
    let files = try await home.files()
    #expect(!files.contains { $0.hasPrefix("state/locks/") })
    let temporary = files.filter { $0.contains(".tmp-") }
    #expect(files.count { $0.hasPrefix("data/accounts/") && !$0.contains(".tmp-") } == 1)
    return temporary.count
  }
}

/// Random numbers that are the same in every run (Steele, Lea and Flood's SplitMix64).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
