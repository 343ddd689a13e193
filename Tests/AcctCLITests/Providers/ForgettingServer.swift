import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization

/// An authorization server in memory that registers clients, `c-1`, `c-2` and so on, and can lose them.
final class ForgettingServer: Sendable {
  private struct State {
    var count = 0
    var known: Set<String> = []
    var tokens = 0
    var code = "invalid_client"
    var metadata: JSONObject = [:]
    var deletion = 204
    var person = "alice"
  }
  private let state = Mutex(State())
  private let record: RecordedWorld

  init(_ record: RecordedWorld, metadata: JSONObject = [:]) {
    self.record = record
    state.withLock { $0.metadata = metadata }
    record.serve { request throws(HTTPFailure) in self.answer(request) }
  }

  /// The number of clients that it has registered.
  var registrations: Int { state.withLock { $0.count } }

  /// Loses every client, and refuses those from now on with this code.
  func forget(_ code: String = "invalid_client") { state.withLock { ($0.known, $0.code) = ([], code) } }

  /// Signs in another person from now on.
  func signIn(as person: String) { state.withLock { $0.person = person } }

  /// The answer to a request that deletes a client.
  func answerDeletions(_ status: Int) { state.withLock { $0.deletion = status } }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
    switch request.url.path {
    case RecordedServer.place:
      var members: JSONObject = [
        "registration_endpoint": "https://as.example/clients",
        "authorization_endpoint": "https://as.example/authorize",
        "token_endpoint_auth_methods_supported": ["none"],
      ]
      for (name, value) in state.withLock({ $0.metadata }) { members[name] = value }
      return RecordedServer.metadata(members)
    case "/clients": return register()
    case "/par": return isKnown(form) ? .json(#"{"request_uri":"urn:made-up","expires_in":60}"#, 201) : refusal(401)
    case "/start": return isKnown(form) ? RecordedServer.start : refusal(401)
    case "/token":
      guard isKnown(form) else { return refusal(400) }
      return state.withLock { state in
        state.tokens += 1
        return RecordedServer.tokens("\(state.tokens)", ["sub": .string(state.person)])
      }
    case let path where path.hasPrefix("/clients/"): return .json("{}", state.withLock { $0.deletion })
    default: return .json("{}", 404)
    }
  }

  private func register() -> HTTPResponse {
    let id = state.withLock { state in
      state.count += 1
      let id = "c-\(state.count)"
      state.known.insert(id)
      return id
    }
    return .json(
      """
      {"client_id":"\(id)","token_endpoint_auth_method":"none","registration_access_token":"rat-made-up-\(id)",
       "registration_client_uri":"https://as.example/clients/\(id)"}
      """,
      201
    )
  }

  private func isKnown(_ form: [String: String]) -> Bool {
    state.withLock { $0.known.contains(form["client_id"] ?? "") }
  }

  private func refusal(_ status: Int) -> HTTPResponse {
    let code = state.withLock { $0.code }
    return .json(#"{"error":"\#(code)","error_description":"c-1 is not known here"}"#, status)
  }
}
