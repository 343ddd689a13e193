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
  /// How long an undisturbed renewal takes: the last one did.
  private var duration = Duration.zero

  init(seed: UInt64) async throws {
    // Every token has expired when it comes, so that every call renews.
    server = try await StrictServer(["lifetime": -10])
    home = try AcctHome()
    try await home.importExpired(from: server)
    id = try await home.accountID()
    random = SplitMix64(state: seed)
    try await expectRenewal()
  }

  /// Kills so many renewals, and checks after each what is left.
  consuming func kill(_ count: Int) async throws -> KillTally {
    var lane = self
    var tally = KillTally()
    var before = try await lane.state()
    while tally.kills < count {
      guard try await lane.killOne() else {
        // It was quicker than the one before it.
        try await lane.expectRenewal()
        before = try await lane.state()
        continue
      }
      let after = try await lane.state()
      let wasAnswered = after.refreshes > before.refreshes
      let wasWritten = after.items != before.items
      #expect(wasAnswered || !wasWritten)
      tally.kills += 1
      if wasAnswered { tally.answered += 1 }
      if wasAnswered && !wasWritten { tally.losses += 1 }
      try await lane.expectHealed(isLost: wasAnswered && !wasWritten)
      before = try await lane.state()
      #expect(before.refreshes == after.refreshes + 1)
      #expect(before.replays == tally.losses)
      // Every call has read the account; that it is still listed needs no asking each time.
      if tally.kills.isMultiple(of: 10) { #expect(try await lane.home.accountID() == lane.id) }
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
    try #require(status == 0 || status == 128 + SIGKILL)
    return status != 0
  }

  private struct State {
    /// What the server has counted.
    var refreshes: Int64
    var replays: Int64
    /// What is on disk: a sealed item looks new each time it is written.
    var items: [[UInt8]]
  }

  private func state() async throws -> State {
    let counts = try await server.counts()
    return State(
      refreshes: try #require(counts["refreshes"]),
      replays: try #require(counts["replays"]),
      items: try ["refreshToken", "accessToken", "expiresAt"].map { name in
        try #require(home.contents(of: "data/vault/oauth.\(id).\(name)"))
      }
    )
  }

  /// Asserts that the next call works, or says what was lost and why; then a new sign-in helps.
  private mutating func expectHealed(isLost: Bool) async throws {
    if isLost {
      let next = try await home.acct("token")
      #expect(next.status == 4)
      #expect(next.errorText.contains("interrupted"))
      try await home.importExpired(from: server)
    }
    try await expectRenewal()
  }

  private mutating func expectRenewal() async throws {
    let started = ContinuousClock.now
    let token = try await home.acct("token")
    duration = .now - started
    try #require(token.status == 0, "\(token.errorText)")
    #expect(token.text.hasPrefix("eyJ") && token.text.hasSuffix("\n"))
  }

  /// Asserts that no secret and no lock is left; returns how many temporary files are.
  private func expectNothingStray() async throws -> Int {
    #expect(try await home.files(containing: secretForms).isEmpty)
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
