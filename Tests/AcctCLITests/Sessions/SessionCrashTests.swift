import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// A backend that rotates its session with every confirmation, after which the old one is invalid.
private final class RollingBackend: Sendable {
  private let generation = Mutex(0)

  init(_ record: RecordedWorld) {
    record.serve { request throws(HTTPFailure) in
      let cookie = request.fields.first { $0.name == "Cookie" }?.value
      return try self.generation.withLock { generation in
        guard cookie == Secret("sid=\(Self.seal(generation))") else { return FakeBackend.refused("session_invalid") }
        // Extending it is the one call that needs nothing else.
        if request.url.path != "/api/auth/session" { return FakeBackend.couldNot }
        generation += 1
        return FakeBackend.valid(record, rotated: Self.seal(generation))
      }.get()
    }
  }

  var rolls: Int { generation.withLock { $0 } }

  private static func seal(_ generation: Int) -> String {
    generation == 0 ? "Fe26.2*1*old" : "Fe26.2*1*new-\(generation)"
  }
}

/// A confirmation that brings a new session, and a process that dies at one of its writes.
@Suite("Storing a rotated session")
struct SessionCrashTests {
  private static let limit = 20

  @Test("A rotated session is lost only if the process dies between the answer and the first write")
  func everyWrite() async throws {
    var deaths = 0
    var losses = 0
    for writes in 0..<Self.limit {
      let record = RecordedWorld()
      try await record.plantSession(left: -1)
      let backend = RollingBackend(record)
      record.lifeline.die(afterWrites: writes)
      let status = await record.acct("header")
      guard !record.lifeline.isAlive else {
        #expect(status == 0)
        break
      }
      deaths += 1
      record.lifeline.revive()
      let isLost = backend.rolls == 1 && record.sealed == "Fe26.2*1*old"
      if isLost { losses += 1 }
      let next = await record.acct("header")
      #expect(next == (isLost ? 4 : 0), "after \(writes) writes: \(record.err)")
      if isLost { #expect(record.err.contains { $0.contains("interrupted") }) }
      #expect(record.accountFiles == 1)
    }
    // The note, the session, the account, the count of renewals, the use and its mark.
    #expect(deaths == 6)
    #expect(losses == 1)
  }

  @Test("A rotated session is stored late if the keyring locked meanwhile and is unlocked in time")
  func lockedMeanwhile() async throws {
    let record = RecordedWorld()
    try await record.plantSession(left: -1)
    record.serve { _ throws(HTTPFailure) in
      record.keyring.lock()
      return try FakeBackend.valid(record, rotated: "Fe26.2*1*new").get()
    }
    record.unlock(after: 60)
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=Fe26.2*1*new\n")
    #expect(record.err.count == 1)
    #expect(record.err.first?.contains("unlock it within 2 min") == true)
    #expect(record.sealed == "Fe26.2*1*new")
  }

  @Test("A rotated session is given up with exit 6 after 2 minutes, or 10 seconds with --no-input")
  func staysLocked() async throws {
    for (options, seconds) in [([], 120), (["--no-input"], 10)] as [([String], Int64)] {
      let record = RecordedWorld()
      try await record.plantSession(left: -1)
      record.serve { _ throws(HTTPFailure) in
        record.keyring.lock()
        return try FakeBackend.valid(record, rotated: "Fe26.2*1*new").get()
      }
      let start = record.now
      #expect(await record.run(["header"] + options) == 6)
      #expect(record.now == start + seconds)
      #expect(record.err.last?.contains("unlock it") == true)
      // The note tells the next call that an answer may be lost.
      #expect(try record.member("renewalStartedAt") != .null)
      record.keyring.unlock()
      let next = FakeBackend(record, ["session": [FakeBackend.valid(record)]])
      #expect(await record.acct("header") == 0)
      #expect(next.asked == ["session"])
      #expect(try record.member("renewalStartedAt") == .null)
    }
  }

  @Test("A rotated session is given up after 10 seconds even if the keyring takes 5 to reject a write")
  func refusedSlowly() async throws {
    let record = RecordedWorld()
    try await record.plantSession(left: -1)
    record.serve { _ throws(HTTPFailure) in
      record.keyring.lock()
      return try FakeBackend.valid(record, rotated: "Fe26.2*1*new").get()
    }
    record.keyring.whenRefusing { record.now += 5 }
    let start = record.now
    #expect(await record.acct("header", "--no-input") == 6)
    // The last attempt may begin just before the end.
    #expect((10...16).contains(record.now - start), "\(record.now - start) s")
  }

  @Test("A session is not renewed, and header does not wait, if the keyring was locked before")
  func lockedBefore() async throws {
    let record = RecordedWorld()
    try await record.plantSession(left: -1)
    let backend = FakeBackend(record, [:])
    record.keyring.lock()
    let start = record.now
    #expect(await record.acct("header") == 6)
    #expect(record.now == start)
    #expect(backend.asked.isEmpty)
  }
}
