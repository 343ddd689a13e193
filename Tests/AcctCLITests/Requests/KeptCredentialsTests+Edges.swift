import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// What happens at the edges of what is kept: while it is read, as it is replaced, and where a token ends.
extension KeptCredentialsTests {
  @Test("What another process changes while a proxy reads counts at the next request", arguments: ["files", "keyring"])
  func readMeanwhile(_ place: String) async {
    let record = record
    await serve { ask in
      let before = record.keyring.reads
      record.keyring.interruptNextRead {
        record.keyring.put(.accessToken, Secret("another-token"))
        if place == "files" { record.announceChange() } else { record.keyring.announceChange() }
      }
      for _ in 1...2 { #expect(await ask() == 200) }
      #expect(record.keyring.reads == before + 2)
    }
    #expect(record.requests.last?.fields.first?.value == Secret("DPoP another-token"))
  }

  @Test("A proxy that has read its account anew keeps that, whatever becomes of what it had before")
  func replacedOnce() async {
    record.drawUniqueNumbers()
    let record = record
    await serve { ask in
      _ = await ask()
      record.announceChange()
      let before = record.keyring.reads
      for _ in 1...1_000 {
        _ = await ask()
        // What had been kept ends in the background.
        await Task.yield()
      }
      #expect(record.keyring.reads == before + 1)
    }
  }

  @Test("A token that is kept and can't be renewed is sent to its end, and not after that")
  func toItsEnd() async {
    let short: [String: JSON] = ["expires_in": 2, "origins": ["https://pds.example"]]
    let outcome = await outcome(of: Handoffs.bearer(changing: short)) { $0.now += 2 }
    #expect(outcome.statuses == [200, 503])
    #expect(record.requests.count == 1)
  }

  @Test("A server's answer that repeats what a proxy keeps is told without it")
  func redacted() async {
    _ = await outcome { record in
      record.serve { _ throws(HTTPFailure) in throw .unreachable(reason: "refused \(Self.privateKey)") }
    }
    #expect(record.err.joined().contains("refused"), "\(record.err)")
    #expect(!record.err.joined().contains(Self.privateKey), "\(record.err)")
  }

  @Test("A proxy that keeps nothing any more has forgotten what to withhold", arguments: [true, false])
  func forgotten(hasSecretMemory: Bool) async {
    record.provideSecretMemory(hasSecretMemory)
    record.drawUniqueNumbers()
    let record = record
    await serve { ask in
      _ = await ask()
      _ = await record.add(ReplacementCrashTests.newer)
      record.serve { _ throws(HTTPFailure) in throw .unreachable(reason: "refused \(Self.privateKey)") }
      // What is kept ends in the background.
      for _ in 1...300 where !record.err.joined().contains(Self.privateKey) {
        _ = await ask()
        for _ in 1...10 where record.endRests() == 0 { await Task.yield() }
        for _ in 1...10 { await Task.yield() }
      }
    }
    #expect(record.err.joined().contains(Self.privateKey))
  }

  /// The private part of ``Handoffs/key``.
  private static let privateKey = "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"

  @Test("A proxy's next request is whole wherever another process died that replaced its credentials")
  func died() async throws {
    for writes in 0..<ReplacementCrashTests.limit {
      let scene = KeptCredentialsTests()
      let outcome = await scene.outcome { record in
        record.lifeline.die(afterWrites: writes)
        _ = await record.add(ReplacementCrashTests.newer)
        record.lifeline.revive()
      }
      #expect(outcome.statuses == [200, 200], "after \(writes) writes: \(scene.record.err)")
      let fields = try #require(scene.record.requests.last).fields
      let isNew = fields.first?.value == Secret("DPoP newer")
      let key = try scene.proofs().last?.header["jwk"]?.objectValue?["x"]?.stringValue
      #expect(key?.hasPrefix(isNew ? "f83OJ3D2" : "MKBCTNIc") == true, "after \(writes) writes")
    }
  }

  @Test("An origin that another process has revoked gets no request from the next on")
  func revokedOrigin() async throws {
    let extra = "https://extra.example"
    let record = record
    let answers = Mutex<[Int]>([])
    #expect(await record.add(Handoffs.dpop(), "--allow-origin", extra) == 0)
    record.serve(200, "")
    record.localServer.visit { ask in
      func status(of host: String) async -> Int { await ask("GET", "/", [("Host", host)], nil).status }
      var statuses = [await status(of: "extra.example")]
      _ = await record.run(["allow", "--revoke", "alice.example.com", extra])
      for host in ["extra.example", "pds.example", "extra.example"] { statuses.append(await status(of: host)) }
      answers.withLock { $0 = statuses }
    }
    #expect(await record.run(["proxy"]) == 0)
    #expect(answers.withLock { $0 } == [200, 421, 200, 421])
    #expect(record.requests.map(\.url.origin.description) == [extra, "https://pds.example"])
  }

  @Test("A locked keyring refuses no request to an origin that is the account's no more")
  func lockedForeign() async {
    // The origin is checked first: no keyring is asked for another's.
    let outcome = await outcome { record in
      _ = await record.run(["allow", "--revoke", "alice.example.com", "https://pds.example"])
    }
    #expect(outcome.reads == 1)
  }

  @Test("A nonce that another process has learned counts after half a minute, and so does a clock set back")
  func otherNonce() async throws {
    let record = record
    let origin = try Origin("https://pds.example")
    await serve { ask in
      record.serve(200, "", [("DPoP-Nonce", "own")])
      _ = await ask()
      record.serve(200, "")
      for seconds: Int64 in [30, 1, -60] {
        record.now += seconds
        record.corrupt(.nonce(origin), with: "\(record.now) 0 other\(seconds)\n")
        _ = await ask()
      }
    }
    #expect(
      try claims().map { $0["nonce"]?.stringValue } == [nil, "own", "other1", "other-60"]
    )
  }

  @Test("The nonce file of a server without nonces is read once for many requests")
  func noNonce() async throws {
    let record = record
    let origin = try Origin("https://pds.example")
    await serve { ask in
      for _ in 1...5 { _ = await ask() }
    }
    #expect(record.reads(of: .nonce(origin)) == 1)
  }
}
