import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A sealed session that the user's own requests carry.
@Suite("Requests with a sealed session")
struct RequestSessionTests {
  private let record = RecordedWorld()
  private let url = "\(FakeBackend.origin)/things"

  /// An account with an hour to go, and a backend that answers so.
  private func backend(_ answers: [String: [FakeBackend.Answer]]) async throws -> FakeBackend {
    try await record.plantSession(left: 3600)
    return FakeBackend(record, answers)
  }

  /// The sessions that were sent, request by request.
  private var sent: [String?] {
    record.requests.map { $0.fields.first { $0.name == "Cookie" }.map { text(of: $0.value) } }
  }

  private func things(
    _ status: Int = 200,
    rolled: String? = nil,
    _ more: (name: String, value: String)...
  ) -> FakeBackend.Answer {
    let cookie = rolled.map { [("Set-Cookie", "sid=\($0); HttpOnly; Path=/")] } ?? []
    return .success(HTTPResponse(status: status, fields: cookie + more, body: Secret("things")))
  }

  @Test("What any answer of the backend rolls is kept, and sent from then on")
  func rolled() async throws {
    _ = try await backend([
      "things": [
        things(rolled: "Fe26.2*1*first"), things(404, rolled: "Fe26.2*1*second"),
        things(429, rolled: "Fe26.2*1*third", ("Retry-After", "1")), things(),
      ]
    ])
    #expect(await record.acct("request", url) == 0)
    #expect(record.sealed == "Fe26.2*1*first")
    #expect(await record.acct("request", url) == 1)
    #expect(await record.acct("request", url, "--retry", "1") == 0)
    #expect(
      sent == ["old", "first", "second", "third"].map { "sid=Fe26.2*1*\($0)" }
    )
    #expect(record.err.allSatisfy { !$0.contains("Fe26") })
  }

  @Test("A cookie that deletes, comes from elsewhere, or with a 401, takes no session's place")
  func notRolled() async throws {
    let backend = try await backend([
      "things": [
        things(200, ("Set-Cookie", "sid=; Max-Age=0")),
        things(401, rolled: "Fe26.2*1*nobody"), things(),
      ],
      "session": [FakeBackend.valid(record)],
    ])
    #expect(await record.acct("request", url) == 0)
    #expect(await record.acct("request", url) == 0)
    #expect(backend.asked == ["things", "things", "session", "things"])
    #expect(sent.allSatisfy { $0 == "sid=Fe26.2*1*old" })
    #expect(await record.acct("allow", "alice", "https://cdn.example") == 0)
    record.serve { _ throws(HTTPFailure) in
      HTTPResponse(
        status: 200,
        fields: [("Set-Cookie", "sid=Fe26.2*1*foreign")],
        body: Secret("")
      )
    }
    #expect(await record.acct("request", "https://cdn.example/picture") == 0)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("One that can't be stored is told, after the answer and the time to unlock the keyring")
  func notStored() async throws {
    _ = try await backend(["things": [things(rolled: "Fe26.2*1*new")]])
    record.serve { [record] _ throws(HTTPFailure) in
      record.keyring.lock()
      return HTTPResponse(
        status: 200,
        fields: [("Set-Cookie", "sid=Fe26.2*1*new")],
        body: Secret("things")
      )
    }
    #expect(await record.acct("request", url, "--no-input") == 6)
    #expect(record.out == "things")
    #expect(record.err.contains { $0.contains("can't take the new session of alice") })
  }

  @Test("A 401 has the backend asked; if the session goes on the request is made once more")
  func validated() async throws {
    let backend = try await backend([
      "things": [things(401), things()],
      "session": [FakeBackend.valid(record, rolled: "Fe26.2*1*new")],
    ])
    #expect(await record.acct("request", url) == 0)
    #expect(backend.asked == ["things", "session", "things"])
    #expect(sent.last == "sid=Fe26.2*1*new")
    #expect(record.out == "things")
  }

  @Test("A 401 that stays is the answer, and ends nothing")
  func refusedForEver() async throws {
    let backend = try await backend([
      "things": [things(401)], "session": [FakeBackend.valid(record)],
    ])
    #expect(await record.acct("request", url) == 4)
    #expect(backend.asked == ["things", "session", "things"])
    #expect(record.out == "things")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("A session that the backend has ended exits 4 with its reason, and the answer written")
  func ended() async throws {
    _ = try await backend([
      "things": [things(401)], "session": [FakeBackend.refused("missing_did")],
      "refresh-token": [.success(.json(#"{"success":false,"error":"no"}"#, 401))],
    ])
    #expect(await record.acct("request", url) == 4)
    #expect(record.out == "things")
    #expect(record.err.first?.contains("missing_did") == true)
    #expect(try record.member("standing") == "reauthRequired")
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("A backend that can't be asked leaves all as it is")
  func notAsked() async throws {
    _ = try await backend(["things": [things(401)], "session": [.failure(.timedOut)]])
    #expect(await record.acct("request", url) == 4)
    #expect(record.out == "things")
    #expect(record.err.contains { $0.contains("no answer in time") })
    #expect(try record.member("standing") == "signedIn")
    #expect(record.sealed == "Fe26.2*1*old")
  }
}
