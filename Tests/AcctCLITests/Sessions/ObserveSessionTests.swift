import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A session that a backend rotated in an answer to a script's own curl.
@Suite("Observing a rotated session")
struct ObserveSessionTests {
  private let record = RecordedWorld()

  /// An account, and a backend with these answers about a session.
  private func backend(_ answers: FakeBackend.Answer...) async throws -> FakeBackend {
    try await record.plantSession(left: 3600)
    return FakeBackend(record, ["session": answers])
  }

  private func observe(
    _ sid: String = "Fe26.2*1*new",
    status: Int = 200,
    of url: String = "\(FakeBackend.origin)/things"
  ) async -> Int32 {
    record.clear()
    record.provide("-", "HTTP/2 \(status)\r\nset-cookie: sid=\(sid); HttpOnly\r\nx-ratelimit-remaining: 3\r\n\r\n")
    return await record.acct("observe", url)
  }

  @Test("A rotated session is stored once its backend confirms that it is valid and this account's")
  func kept() async throws {
    let backend = try await backend(FakeBackend.valid(record))
    #expect(await observe() == 0)
    #expect(record.err.isEmpty && record.out.isEmpty)
    #expect(backend.asked == ["session"])
    let sent = record.requests.first?.fields.first { $0.name == "Cookie" }?.value
    #expect(sent == Secret("sid=Fe26.2*1*new"))
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(try record.member("expiresAt") == "2027-01-16T08:00:00Z")
    // The same headers again teach nothing new.
    #expect(await observe() == 0)
    #expect(backend.asked == ["session"])
  }

  @Test("An observed session is kept although an interrupted sign-in has its own still pending")
  func afterInterruptedSignIn() async throws {
    _ = try await backend(FakeBackend.valid(record))
    try await record.interruptReplacement(by: "Fe26.2*1*signed-in")
    #expect(await observe() == 0)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "Fe26.2*1*new\n")
    #expect(record.keyring.items.count == 1)
  }

  @Test("An observed session that the backend rolls while it confirms it is kept as rolled")
  func rolledOnceMore() async throws {
    _ = try await backend(FakeBackend.valid(record, rotated: "Fe26.2*1*newer"))
    #expect(await observe() == 0)
    #expect(record.sealed == "Fe26.2*1*newer")
  }

  @Test("A rotated session revives an account whose old session had ended")
  func broughtBack() async throws {
    _ = try await backend(FakeBackend.refused("session_invalid"), FakeBackend.valid(record))
    #expect(await record.acct("status", "--check") == 4)
    #expect(try record.member("standing") == "reauthRequired")
    #expect(await observe() == 0)
    #expect(try record.member("standing") == "signedIn")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "Fe26.2*1*new\n")
  }

  @Test("A rotated session of another identity, or of none, is rejected, and the old one is kept")
  func somebodyElse() async throws {
    let nobody: [String: JSON] = ["did": .null, "handle": .null, "userHandle": .null]
    for changes in [
      ["did": "did:plc:mallory"], ["sub": "did:plc:mallory", "did": .null],
      ["did": .null, "handle": "mallory.example.com", "userHandle": .null], nobody,
    ] as [[String: JSON]] {
      _ = try await backend(FakeBackend.valid(record, rotated: "Fe26.2*1*x", changing: changes))
      #expect(await observe() == 11, "\(changes)")
      #expect(record.err.last == "acct: hint: nothing was changed")
      #expect(record.sealed == "Fe26.2*1*old")
    }
  }

  @Test("An observed session that the backend does not accept is not stored, and that is no error")
  func old() async throws {
    _ = try await backend(FakeBackend.refused("session_invalid"))
    #expect(await observe("Fe26.2*1*older") == 0)
    #expect(
      record.err == [
        "acct: the session in these headers is not accepted: Session invalid or expired "
          + "(session_invalid); the stored session of alice is unchanged"
      ]
    )
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("A session is kept if the backend can't confirm the new one; limits are learned anyway")
  func notAsked() async throws {
    for (answer, status) in [
      (.failure(.timedOut), 10), (.success(.json("{}", 503)), 11), (.success(.json("{}", 429)), 9),
    ] as [(FakeBackend.Answer, Int32)] {
      _ = try await backend(answer)
      #expect(await observe() == status)
      #expect(record.sealed == "Fe26.2*1*old")
      #expect(await record.acct("limits", "--json") == 0)
      #expect(record.out.contains(#""remaining":3"#))
    }
  }

  @Test("A 401, another origin's answer or an invalid session is not stored and starts no request")
  func nothing() async throws {
    let backend = try await backend()
    #expect(await observe(status: 401) == 0)
    #expect(await observe("plain") == 0)
    #expect(await observe("Fe26.2*1*gone; Max-Age=0") == 0)
    #expect(await record.acct("allow", "alice", "https://cdn.example") == 0)
    #expect(await observe(of: "https://cdn.example/picture") == 0)
    #expect(backend.asked.isEmpty)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("A locked keyring is reported before a rotated session is confirmed")
  func locked() async throws {
    let backend = try await backend()
    record.keyring.lock()
    #expect(await observe() == 6)
    #expect(backend.asked.isEmpty)
  }
}
