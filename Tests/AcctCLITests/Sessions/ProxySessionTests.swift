import AcctModel
import AcctPorts
import AcctTestSupport
import Synchronization
import Testing

/// A sealed session that the clients of the proxy never see.
@Suite("acct proxy with a sealed session")
struct ProxySessionTests {
  private let record = RecordedWorld()

  /// Runs the proxy for one request to a backend with this answer, and returns the proxy's answer.
  private func ask(_ path: String, answered answer: HTTPResponse) async throws -> RecordedLocalServer.Answer {
    try await record.plantSession(left: 3600)
    record.serve { _ throws(HTTPFailure) in answer }
    let answers = Mutex<[RecordedLocalServer.Answer]>([])
    record.localServer.visit { ask in
      let answer = await ask("GET", path, [("Host", "backend.example")], nil)
      answers.withLock { $0.append(answer) }
    }
    #expect(await record.acct("proxy") == 0)
    return try #require(answers.withLock { $0.first })
  }

  private func rolling(_ body: String) -> HTTPResponse {
    var answer = HTTPResponse.json(body)
    answer.fields.append(("Set-Cookie", "sid=Fe26.2*1*new"))
    return answer
  }

  @Test("The proxy stores a rotated session and passes the rest of the answer on")
  func rotated() async throws {
    let answer = try await ask("/things", answered: rolling("{}"))
    #expect(answer.status == 200 && answer.text == "{}")
    #expect(answer.field("Set-Cookie") == nil)
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(record.err.isEmpty)
  }

  @Test("The proxy does not store another identity's session, says so, and passes the answer on")
  func foreign() async throws {
    let body = #"{"valid":true,"did":"did:plc:mallory"}"#
    let answer = try await ask("/api/auth/session", answered: rolling(body))
    #expect(answer.status == 200 && answer.text == body)
    #expect(answer.field("Set-Cookie") == nil)
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(record.err.count == 1)
    #expect(record.err.first?.contains("names did:plc:mallory") == true)
  }

  @Test("The proxy reports that the backend ended the session and passes the 401 on")
  func ended() async throws {
    let refusal = HTTPResponse.json(#"{"valid":false,"reason":"session_invalid"}"#, 401)
    let answer = try await ask("/things", answered: refusal)
    #expect(answer.status == 401)
    #expect(record.err.first?.contains("session_invalid") == true)
  }
}
