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
    rotated: String? = nil,
    _ more: (name: String, value: String)...
  ) -> FakeBackend.Answer {
    let cookie = rotated.map { [("Set-Cookie", "sid=\($0); HttpOnly; Path=/")] } ?? []
    return .success(HTTPResponse(status: status, fields: cookie + more, body: Secret("things")))
  }

  @Test("What any answer of the backend rolls is kept, and sent from then on")
  func rotated() async throws {
    _ = try await backend([
      "things": [
        things(rotated: "Fe26.2*1*first"), things(404, rotated: "Fe26.2*1*second"),
        things(429, rotated: "Fe26.2*1*third", ("Retry-After", "1")), things(),
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
        things(401, rotated: "Fe26.2*1*nobody"), things(),
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

  private let refresh = "\(FakeBackend.origin)/mobile/refresh-token"

  @Test(
    "The session that the user's own call for another brings is kept, and the answer is written"
  )
  func extended() async throws {
    _ = try await backend([
      "refresh-token": [FakeBackend.extended("Fe26.2*1*new")], "things": [things()],
    ])
    #expect(await record.acct("request", refresh) == 0)
    #expect(
      record.out == #"{"success":true,"payload":{"did":"did:plc:alice","sid":"Fe26.2*1*new"}}"#
    )
    #expect(record.sealed == "Fe26.2*1*new")
    // When the new one ends is not known.
    #expect(try record.member("expiresAt") == .null)
    #expect(try record.member("standing") == "signedIn")
    #expect(await record.acct("request", url) == 0)
    #expect(sent.last == "sid=Fe26.2*1*new")
    #expect(record.err.isEmpty)
  }

  @Test("What comes with a cookie as well counts before it")
  func extendedAndRolled() async throws {
    guard case .success(var answer) = FakeBackend.extended("Fe26.2*1*new") else { return }
    answer.fields.append(("Set-Cookie", "sid=Fe26.2*1*cookie; HttpOnly; Path=/"))
    _ = try await backend(["refresh-token": [.success(answer)]])
    #expect(await record.acct("request", refresh) == 0)
    #expect(record.sealed == "Fe26.2*1*new")
  }

  @Test("That of somebody else is not, and that is told")
  func extendedForAnother() async throws {
    _ = try await backend([
      "refresh-token": [FakeBackend.extended("Fe26.2*1*new", did: "did:plc:mallory")]
    ])
    #expect(await record.acct("request", refresh) == 11)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(record.out.contains("Fe26.2*1*new"))
    #expect(record.err.first?.contains("did:plc:mallory") == true)
  }

  @Test("One that can't be read is told, and nothing is changed", arguments: ["no seal", ""])
  func extendedMalformed(_ sealed: String) async throws {
    _ = try await backend(["refresh-token": [FakeBackend.extended(sealed)]])
    #expect(await record.acct("request", refresh) == 11)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(record.err == ["acct: \(FakeBackend.origin) sent an answer with a bad sid"])
  }

  @Test("A body counts only as the answer to that call, with 200, as JSON, and if it is short")
  func notExtended() async throws {
    let body = #"{"success":true,"payload":{"did":"did:plc:alice","sid":"Fe26.2*1*new"}}"#
    let long = body.dropLast() + #","more":"\#(String(repeating: "x", count: 1 << 17))"}"#
    _ = try await backend([
      "refresh-token": [
        .success(.json(body, 201)),
        .success(HTTPResponse(status: 200, fields: [], body: Secret(body))),
        .success(.json(body, 500)), .success(.json(String(long))), .success(.json(body)),
      ],
      "things": [.success(.json(body))],
    ])
    for status in [0, 0, 11, 0] as [Int32] {
      #expect(await record.acct("request", refresh) == status)
    }
    #expect(record.out == String(long))
    #expect(await record.acct("request", "POST", refresh) == 0)
    #expect(await record.acct("request", url) == 0)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("One that can't be stored is told, after the answer and the time to unlock the keyring")
  func notStored() async throws {
    _ = try await backend(["things": [things(rotated: "Fe26.2*1*new")]])
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
    #expect(record.err.contains { $0.contains("can't store the new session of alice") })
  }

  @Test("A 401 has the backend asked; if the session goes on the request is made once more")
  func validated() async throws {
    let backend = try await backend([
      "things": [things(401), things()],
      "session": [FakeBackend.valid(record, rotated: "Fe26.2*1*new")],
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
    #expect(record.err.contains { $0.contains("timed out without an answer") })
    #expect(try record.member("standing") == "signedIn")
    #expect(record.sealed == "Fe26.2*1*old")
  }
}
