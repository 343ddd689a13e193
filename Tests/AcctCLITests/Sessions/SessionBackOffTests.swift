import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A backend that gives no answer is asked again after 2, 4 and 8 seconds, and up to half as much
/// more; the recorded random bytes count upward from 1.
@Suite("A backend that does not answer")
struct SessionBackOffTests {
  let record = RecordedWorld()

  private func backend(left: Int64 = -1, _ answers: FakeBackend.Answer...) async throws -> FakeBackend {
    try await record.plantSession(left: left)
    return FakeBackend(record, ["session": answers])
  }

  static let faults: [(String, FakeBackend.Answer, Int32)] = [
    ("nobody there", .failure(.unreachable(reason: "connection refused")), 10),
    ("no such name", .failure(.unresolved(host: "backend.example")), 10),
    ("a time-out", .failure(.timedOut), 10),
    ("cut off", .failure(.closed), 10),
    ("500", .success(.json("{}", 500)), 11),
    ("502", .success(.json("{}", 502)), 11),
    ("503", .success(.json("{}", 503, ("Retry-After", "7"))), 11),
  ]

  @Test("A backend that does not answer is asked four times, then reported, and the session is kept", arguments: faults)
  func exhausted(what: String, fault: FakeBackend.Answer, status: Int32) async throws {
    let backend = try await backend(fault)
    #expect(await record.acct("header") == status)
    // 2 + 1 % 2, 4 + 2 % 3, 8 + 3 % 5.
    #expect(backend.times == [0, 3, 9, 20])
    #expect(record.out.isEmpty)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(try record.member("standing") == "signedIn")
    // One line for each wait, and the error with its hint.
    #expect(
      record.err.prefix(3).map { $0.suffix(4) } == ["n 3 s", "n 6 s", " 11 s"].map { $0.suffix(4) }
    )
    #expect(record.err.count == 5)
  }

  @Test(
    "A backend whose answer may be lost is not said to have left the session as it was",
    arguments: [
      ([.failure(.closed)], "the server may have renewed the session"),
      ([.failure(.timedOut)], "the server may have renewed the session"),
      ([.success(.json("{}", 500))], "the stored session is kept; try again later"),
      ([.failure(.unreachable(reason: "no"))], "nothing was wrong with the account"),
      // The first try may have been taken, whatever became of the last.
      ([.failure(.closed), .failure(.unreachable(reason: "no"))], "the server may have renewed the session"),
      (
        [.success(.json("{}", 500)), .failure(.unresolved(host: "backend.example"))],
        "the server may have renewed the session"
      ),
    ] as [([FakeBackend.Answer], String)]
  )
  func hints(answers: [FakeBackend.Answer], hint: String) async throws {
    try await record.plantSession(left: -1)
    _ = FakeBackend(record, ["session": answers])
    #expect(await record.acct("header") != 0)
    #expect(record.err.last?.hasPrefix("acct: hint: \(hint)") == true, "\(record.err)")
    // The next call has the same doubt.
    let isWell = hint.hasPrefix("nothing was wrong")
    #expect(try (record.member("renewalStartedAt") == .null) == isWell)
  }

  @Test(
    "A session that is over says that a try before it had no answer",
    arguments: [
      [.success(.json("{}", 500))], [.failure(.closed)], [.failure(.closed), .success(.json("{}", 503))],
    ] as [[FakeBackend.Answer]]
  )
  func overAfterNoAnswer(answers: [FakeBackend.Answer]) async throws {
    try await record.plantSession(left: -1)
    _ = FakeBackend(
      record,
      ["session": answers + [FakeBackend.refused("expired")], "refresh-token": [FakeBackend.refused("expired")]]
    )
    #expect(await record.acct("header") == 4, "\(record.err)")
    #expect(record.err.joined().contains("an earlier renewal was interrupted"), "\(record.err)")
  }

  @Test("A backend that answers in the end leaves no trace of its failures")
  func recovers() async throws {
    let down = FakeBackend.Answer.failure(.unreachable(reason: "connection refused"))
    let backend = try await backend(down, down, FakeBackend.valid(record))
    #expect(await record.acct("header") == 0)
    #expect(backend.times == [0, 3, 9])
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("The wait for a backend counts down on a terminal in a line that is removed")
  func countdown() async throws {
    record.showOnTerminal()
    let down = FakeBackend.Answer.failure(.unreachable(reason: "connection refused"))
    _ = try await backend(down, FakeBackend.valid(record))
    #expect(await record.acct("header") == 0)
    let said = "acct: https://backend.example: can't connect: connection refused; trying again in"
    #expect(record.passing == ["\(said) 3 s", "\(said) 2 s", "\(said) 1 s", ""])
    #expect(record.err.isEmpty)
  }

  @Test("The wait for a backend is silent with --quiet, and in lines on a dumb terminal")
  func quiet() async throws {
    let down = FakeBackend.Answer.failure(.unreachable(reason: "connection refused"))
    _ = try await backend(down, FakeBackend.valid(record))
    #expect(await record.acct("header", "--quiet") == 0)
    #expect(record.err.isEmpty)
    record.showOnTerminal()
    record.set("TERM", to: "dumb")
    _ = try await backend(down, FakeBackend.valid(record))
    #expect(await record.acct("header") == 0)
    #expect(record.passing == [""] || record.passing.isEmpty)
    #expect(record.err.count == 1)
  }

  @Test("A session that has not expired is used with a notice if its backend does not answer")
  func notYetPast() async throws {
    let backend = try await backend(left: 60, .failure(.timedOut))
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=Fe26.2*1*old\n")
    #expect(record.err.last?.contains("could not be renewed and is used for the") == true)
    #expect(backend.times.count == 4)
  }

  @Test("A backend is not asked again if that can't help")
  func hopeless() async throws {
    for fault in [
      .failure(.untrusted(reason: "the certificate has expired")),
      .success(.json("{}", 429, ("Retry-After", "7"))),
    ] as [FakeBackend.Answer] {
      let backend = try await backend(fault)
      #expect(await record.acct("header") != 0)
      #expect(backend.asked == ["session"])
    }
  }

  @Test("A refresh that fails is tried four times, and the session is kept")
  func refresh() async throws {
    try await record.plantSession(left: -1)
    let backend = FakeBackend(
      record,
      ["session": [FakeBackend.valid(record, left: -1)], "refresh-token": [.failure(.closed)]]
    )
    #expect(await record.acct("header") == 10)
    #expect(backend.asked.count { $0 == "refresh-token" } == 4)
    #expect(record.sealed == "Fe26.2*1*old")
  }
}
