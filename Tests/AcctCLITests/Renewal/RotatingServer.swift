import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization

/// A token endpoint that takes each refresh token once, and ends the session when it sees one again.
final class RotatingServer: Sendable {
  private let state: Mutex<State>

  private struct State {
    /// The refresh token that is good now; `nil` after the end.
    var current: String?
    var answers: [(response: HTTPResponse, next: String)]
    var asked = 0
  }

  /// - Parameters:
  ///   - record: The world whose requests it answers.
  ///   - current: The first refresh token.
  ///   - answers: The answers, each with the refresh token that is good from then on.
  init(_ record: RecordedWorld, _ current: String, _ answers: [(HTTPResponse, String)]) {
    state = Mutex(State(current: current, answers: answers.map { (response: $0.0, next: $0.1) }))
    let metadata = FakeIssuer()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try metadata.respond(request) }
      let form = request.body.map { body in
        body.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
      }
      return self.answer(to: form ?? "")
    }
  }

  /// How often tokens were requested.
  var asked: Int { state.withLock(\.asked) }

  private func answer(to form: String) -> HTTPResponse {
    state.withLock { state in
      state.asked += 1
      guard let current = state.current, form.contains("refresh_token=\(current)&"), !state.answers.isEmpty else {
        state.current = nil
        return .json(#"{"error":"invalid_grant","error_description":"this one was used"}"#, 400)
      }
      let answer = state.answers.removeFirst()
      state.current = answer.next
      return answer.response
    }
  }
}

extension RecordedWorld {
  /// Adds an account with the refresh token `r1`, whose token is valid for an hour.
  func addRenewable() async -> Bool {
    await add(Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client", "scope": "read"])) == 0
  }
}
