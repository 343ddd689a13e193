import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// A proxy in a world that tells of its changes, and how often it asks for what.
@Suite("What the proxy keeps from one request to the next")
struct KeptCredentialsTests {
  let record = RecordedWorld()

  /// Makes one request of a client, and returns its status.
  typealias Ask = @Sendable () async -> Int

  /// How often the keyring was read, and the answers' statuses.
  struct Outcome: Equatable {
    var reads: Int
    var statuses: [Int]
  }

  init() {
    record.watchFiles()
    record.keyring.announceChanges()
    record.provideSecretMemory(true)
  }

  /// Serves clients as alice until they are through.
  func serve(
    _ credentials: String = Handoffs.dpop(),
    _ clients: @escaping @Sendable (@escaping Ask) async -> Void
  ) async {
    #expect(await record.add(credentials) == 0)
    record.serve(200, "")
    record.localServer.visit { ask in await clients { await ask("GET", "/", [("Host", "pds.example")], nil).status } }
    #expect(await record.run(["proxy"]) == 0)
  }

  /// What two requests come to, with something between them.
  func outcome(
    of credentials: String = Handoffs.dpop(),
    _ between: @escaping @Sendable (RecordedWorld) async -> Void
  ) async -> Outcome {
    let outcome = Mutex(Outcome(reads: 0, statuses: []))
    let record = record
    await serve(credentials) { ask in
      let before = record.keyring.reads
      let first = await ask()
      await between(record)
      let second = await ask()
      let reads = record.keyring.reads - before
      outcome.withLock { $0 = Outcome(reads: reads, statuses: [first, second]) }
    }
    return outcome.withLock { $0 }
  }

  /// The proofs that were sent.
  func proofs() throws -> [(header: JSONObject, claims: JSONObject)] {
    try record.requests.compactMap { request in
      guard let proof = request.fields.first(where: { $0.name == "DPoP" })?.value else { return nil }
      let text = proof.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
      let parts = try text.split(separator: ".").prefix(2).map { part in
        try #require(try JSON(parsing: try Base64URL.decode(String(part))).objectValue)
      }
      return (parts[0], parts[1])
    }
  }

  /// The claims of the proofs that were sent.
  func claims() throws -> [JSONObject] { try proofs().map(\.claims) }

  @Test("A proxy reads the keyring once for requests between which nothing changes")
  func once() async throws {
    #expect(await outcome { _ in } == Outcome(reads: 1, statuses: [200, 200]))
    let identifiers = try claims().map { $0["jti"] }
    #expect(identifiers.count == 2 && identifiers[0] != identifiers[1])
  }

  @Test("A proxy hears at the next request that the keyring is locked")
  func locked() async {
    #expect(await outcome { $0.keyring.lock() } == Outcome(reads: 2, statuses: [200, 503]))
    #expect(record.requests.count == 1)
  }

  @Test("Requests that were there before the keyring was locked are answered, and the next turn hears of it")
  func turn() async {
    let record = record
    let statuses = Mutex<[Int]>([])
    await serve { ask in
      record.localServer.stay(in: nil)
      var found = [await ask()]
      record.localServer.stay(in: LoopTurn())
      found.append(await ask())
      record.keyring.lock()
      found.append(await ask())
      record.localServer.stay(in: LoopTurn())
      found.append(await ask())
      let all = found
      statuses.withLock { $0 = all }
    }
    #expect(statuses.withLock { $0 } == [200, 200, 200, 503])
  }

  @Test("In one turn, too, a proxy keeps nothing longer than a second")
  func secondInTurn() async {
    let record = record
    record.localServer.stay(in: LoopTurn())
    await serve { ask in
      for _ in 1...3 { _ = await ask() }
      let before = record.keyring.reads
      record.now += 2
      _ = await ask()
      #expect(record.keyring.reads == before + 1)
    }
  }

  @Test("A proxy hears at the next request that its account is removed")
  func removed() async {
    let outcome = await outcome { _ = await $0.run(["remove", "--local", "alice.example.com"]) }
    #expect(outcome.statuses == [200, 503])
    #expect(record.requests.count == 1)
  }

  @Test("A proxy sends the token that another process has stored at the next request")
  func replaced() async throws {
    let outcome = await outcome { record in
      record.keyring.put(.accessToken, Secret("another-token"))
      // As every process of acct writes the file after the items, whatever the keyring announces.
      record.announceChange()
    }
    #expect(outcome == Outcome(reads: 2, statuses: [200, 200]))
    let fields = try #require(record.requests.last).fields
    #expect(fields.first?.value == Secret("DPoP another-token"))
  }

  @Test(
    "A proxy reads the keyring anew where it can't know that nothing has changed",
    arguments: ["overflow", "unwatched", "silent", "clock", "clock set back"]
  )
  func anew(_ kind: String) async {
    let outcome = await outcome { record in
      switch kind {
      case "overflow": record.announceChange()
      case "unwatched": record.unwatchFiles()
      case "silent": record.keyring.silence()
      case "clock": record.now += 2
      default: record.now -= 60
      }
    }
    #expect(outcome == Outcome(reads: 2, statuses: [200, 200]))
  }

  @Test("A proxy keeps nothing longer than a second, whether it is used or not")
  func second() async {
    let record = record
    await serve { ask in
      _ = await ask()
      let before = record.keyring.reads
      while record.endRests() == 0 { await Task.yield() }
      // What was kept is dropped in the background.
      for _ in 1...100_000 where record.keyring.reads == before {
        _ = await ask()
        await Task.yield()
      }
      #expect(record.keyring.reads > before)
    }
  }

  @Test(
    "A request works aside where it needs more than what is kept, and nowhere else",
    arguments: ["kept", "unwatched", "challenged", "nonce"]
  )
  func aside(_ kind: String) async {
    let side = TurnExecutor()
    record.localServer.work(aside: side)
    let jobs = Mutex(0)
    let record = record
    await serve { ask in
      _ = await ask()
      switch kind {
      case "kept": break
      case "unwatched": record.unwatchFiles()
      case "challenged":
        let answers = Mutex([HTTPResponse.nonceChallenge][...])
        record.serve { _ in answers.withLock { $0.popFirst() } ?? .json("fine") }
      default: record.serve { _ in .init(status: 200, fields: [("DPoP-Nonce", "n2")], body: Secret("")) }
      }
      let before = side.jobs
      #expect(await ask() == 200)
      jobs.withLock { $0 = side.jobs - before }
    }
    #expect(jobs.withLock { $0 > 0 } == (kind != "kept"))
  }

  @Test("A proxy whose memory others can read keeps nothing while no request is in progress")
  func heap() async {
    record.provideSecretMemory(false)
    #expect(await outcome { _ in } == Outcome(reads: 2, statuses: [200, 200]))
  }

  @Test("A thousand requests at once carry a thousand proofs")
  func proofs() async throws {
    record.drawUniqueNumbers()
    let statuses = Mutex<[Int]>([])
    await serve { ask in
      await withTaskGroup(of: Int.self) { group in
        for _ in 1...1_000 { group.addTask { await ask() } }
        for await status in group { statuses.withLock { $0.append(status) } }
      }
    }
    #expect(statuses.withLock { $0 } == Array(repeating: 200, count: 1_000))
    let identifiers = try claims().compactMap { $0["jti"]?.stringValue }
    #expect(Set(identifiers).count == 1_000)
  }

  @Test("A proxy writes the limits of a burst twice: the first at once, and in the end the last")
  func limits() async throws {
    let left = Mutex(100)
    let record = record
    await serve { ask in
      record.serve { _ throws(HTTPFailure) in
        let number = left.withLock { left in
          left -= 1
          return left
        }
        return HTTPResponse(
          status: 200,
          fields: [("RateLimit-Limit", "100"), ("RateLimit-Remaining", "\(number)")],
          body: Secret("")
        )
      }
      for _ in 1...20 { _ = await ask() }
    }
    let id = try #require(record.keyring.items.keys.first)
    #expect(record.replacements(of: .limits(id)) == 2)
    #expect(record.file(.limits(id))?.contains(#""remaining":80"#) == true)
  }

  @Test("A proxy knows the newest nonce, and writes nonces down once a second")
  func nonces() async throws {
    let number = Mutex(0)
    let record = record
    await serve { ask in
      record.serve { _ throws(HTTPFailure) in
        let next = number.withLock { number in
          number += 1
          return number
        }
        return HTTPResponse(status: 200, fields: [("DPoP-Nonce", "n\(next)")], body: Secret(""))
      }
      for _ in 1...5 { _ = await ask() }
    }
    #expect(record.replacements(of: .nonce(try Origin("https://pds.example"))) == 1)
    #expect(try claims().map { $0["nonce"]?.stringValue } == [nil, "n1", "n2", "n3", "n4"])
  }
}

extension HTTPResponse {
  fileprivate static let nonceChallenge = HTTPResponse(
    status: 401,
    fields: [("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#), ("DPoP-Nonce", "n1")],
    body: Secret("")
  )
}
