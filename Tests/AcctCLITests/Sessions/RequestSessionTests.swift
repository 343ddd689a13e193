import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A sealed session that the user's own requests carry.
@Suite("Requests with a sealed session")
struct RequestSessionTests {
  private let record = RecordedWorld()
  private let url = "\(FakeBackend.origin)/things"

  /// An account with an hour to go, and a backend with these answers.
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

  @Test("A session that any answer of the backend rotates is stored and sent from then on")
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

  @Test("A cookie that deletes, comes from another origin or with a 401 replaces no session")
  func notRolled() async throws {
    let backend = try await backend([
      "things": [things(200, ("Set-Cookie", "sid=; Max-Age=0")), things(401, rotated: "Fe26.2*1*nobody"), things()],
      "session": [FakeBackend.valid(record)],
    ])
    #expect(await record.acct("request", url) == 0)
    #expect(await record.acct("request", url) == 0)
    #expect(backend.asked == ["things", "things", "session", "things"])
    #expect(sent.allSatisfy { $0 == "sid=Fe26.2*1*old" })
    #expect(await record.acct("allow", "alice", "https://cdn.example") == 0)
    record.serve { _ throws(HTTPFailure) in
      HTTPResponse(status: 200, fields: [("Set-Cookie", "sid=Fe26.2*1*foreign")], body: Secret(""))
    }
    #expect(await record.acct("request", "https://cdn.example/picture") == 0)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  private let refresh = "\(FakeBackend.origin)/mobile/refresh-token"

  @Test("A session from the user's own refresh call is stored, and the answer is written")
  func extended() async throws {
    _ = try await backend(["refresh-token": [FakeBackend.extended("Fe26.2*1*new")], "things": [things()]])
    #expect(await record.acct("request", refresh) == 0)
    #expect(
      record.out == #"{"success":true,"payload":{"did":"did:plc:alice","sid":"Fe26.2*1*new"}}"#
    )
    #expect(record.sealed == "Fe26.2*1*new")
    // The end of the new one is not known.
    #expect(try record.member("expiresAt") == .null)
    #expect(try record.member("standing") == "signedIn")
    #expect(await record.acct("request", url) == 0)
    #expect(sent.last == "sid=Fe26.2*1*new")
    #expect(record.err.isEmpty)
  }

  @Test("The session in a refresh answer precedes the one in its cookie")
  func extendedAndRolled() async throws {
    guard case .success(var answer) = FakeBackend.extended("Fe26.2*1*new") else { return }
    answer.fields.append(("Set-Cookie", "sid=Fe26.2*1*cookie; HttpOnly; Path=/"))
    _ = try await backend(["refresh-token": [.success(answer)]])
    #expect(await record.acct("request", refresh) == 0)
    #expect(record.sealed == "Fe26.2*1*new")
  }

  @Test("A refreshed session of another identity is not stored, and the error says so")
  func extendedForAnother() async throws {
    _ = try await backend(["refresh-token": [FakeBackend.extended("Fe26.2*1*new", did: "did:plc:mallory")]])
    #expect(await record.acct("request", refresh) == 11)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(record.out.contains("Fe26.2*1*new"))
    #expect(record.err.first?.contains("did:plc:mallory") == true)
  }

  @Test("A refreshed session that can't be read is an error and changes nothing", arguments: ["no seal", ""])
  func extendedMalformed(_ sealed: String) async throws {
    _ = try await backend(["refresh-token": [FakeBackend.extended(sealed)]])
    #expect(await record.acct("request", refresh) == 11)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(record.err == ["acct: \(FakeBackend.origin) sent an answer with a bad sid"])
  }

  @Test("A refresh answer counts with any 2xx, under any media type")
  func extendedBlemished() async throws {
    for (number, (status, type, prefix)) in [
      (201, "application/json", ""), (200, "", ""), (203, "text/html", "\u{FEFF}"),
    ]
    .enumerated() {
      let sealed = "Fe26.2*1*new\(number)"
      let body = prefix + #"{"success":true,"payload":{"did":"did:plc:alice","sid":"\#(sealed)"}}"#
      let fields = type.isEmpty ? [] : [("Content-Type", type)]
      let answer = HTTPResponse(status: status, fields: fields, body: Secret(body))
      let record = RecordedWorld()
      try await record.plantSession(left: 3600)
      _ = FakeBackend(record, ["refresh-token": [.success(answer)]])
      #expect(await record.acct("request", refresh) == 0, "\(record.err)")
      #expect(record.sealed == sealed)
    }
  }

  @Test("A refresh answer counts only for that call, if it succeeds, and below the size limit")
  func notExtended() async throws {
    let body = #"{"success":true,"payload":{"did":"did:plc:alice","sid":"Fe26.2*1*new"}}"#
    let long = body.dropLast() + #","more":"\#(String(repeating: "x", count: 1 << 17))"}"#
    _ = try await backend([
      "refresh-token": [
        .success(.json(body, 500)), .success(.json(String(long))), .success(.json(body)),
      ],
      "things": [.success(.json(body))],
    ])
    for status in [11, 0] as [Int32] {
      #expect(await record.acct("request", refresh) == status)
    }
    #expect(record.out == String(long))
    #expect(await record.acct("request", "POST", refresh) == 0)
    #expect(await record.acct("request", url) == 0)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("A session that can't be stored is reported after the answer and after the time to unlock")
  func notStored() async throws {
    _ = try await backend(["things": [things(rotated: "Fe26.2*1*new")]])
    record.serve { [record] _ throws(HTTPFailure) in
      record.keyring.lock()
      return HTTPResponse(status: 200, fields: [("Set-Cookie", "sid=Fe26.2*1*new")], body: Secret("things"))
    }
    #expect(await record.acct("request", url, "--no-input") == 6)
    #expect(record.out == "things")
    #expect(record.err.contains { $0.contains("can't store the new session of alice") })
  }

  @Test("A request answered with 401 is repeated once if the backend says that the session is valid")
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

  @Test("A repeated 401 is the answer and ends no session")
  func refusedForEver() async throws {
    let backend = try await backend(["things": [things(401)], "session": [FakeBackend.valid(record)]])
    #expect(await record.acct("request", url) == 4)
    #expect(backend.asked == ["things", "session", "things"])
    #expect(record.out == "things")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("A request after the backend ended the session exits 4 with the reason and writes the answer")
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

  @Test("A session is kept if the backend can't be asked after a 401")
  func notAsked() async throws {
    _ = try await backend(["things": [things(401)], "session": [.failure(.timedOut)]])
    #expect(await record.acct("request", url) == 4)
    #expect(record.out == "things")
    #expect(record.err.contains { $0.contains("timed out without an answer") })
    #expect(try record.member("standing") == "signedIn")
    #expect(record.sealed == "Fe26.2*1*old")
  }
}
