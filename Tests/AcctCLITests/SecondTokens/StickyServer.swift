import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An authorization server in memory that rotates refresh tokens, ends the session when one is used twice, and keeps
/// the audience and the scope of one refresh for those after it.
final class StickyServer: Sendable {
  private struct State {
    var audience = StickyServer.audience
    var scope = StickyServer.scope
    var number = 0
    var answers: [HTTPResponse] = []
  }
  private let state = Mutex(State())
  private let record: RecordedWorld
  /// Whether its tokens say what they are for.
  private let namesAudience: Bool

  static let audience = "https://any.example"
  static let scope = "read write"

  init(_ record: RecordedWorld, namesAudience: Bool = true) {
    self.record = record
    self.namesAudience = namesAudience
    record.serve { request throws(HTTPFailure) in self.respond(to: request) }
  }

  /// Answers the token endpoint with this in place of tokens, once each.
  func answer(_ answers: HTTPResponse...) { state.withLock { $0.answers += answers } }

  func respond(to request: HTTPRequest) -> HTTPResponse {
    switch request.url.path {
    case RecordedServer.place: return RecordedServer.metadata()
    case "/start": return RecordedServer.start
    case "/token": return token(form(request))
    default: return .json("{}", 404)
    }
  }

  private func form(_ request: HTTPRequest) -> [String: String] {
    let body = request.body.map { text(of: $0) } ?? ""
    return Dictionary(
      body.split(separator: "&").map { pair in
        let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
        let value = String(parts[1]).replacing("%20", with: " ").replacing("%3A", with: ":")
        return (String(parts[0]), value.replacing("%2F", with: "/"))
      },
      uniquingKeysWith: { first, second in
        Issue.record("a form has a parameter twice: \(first) and \(second)")
        return first
      }
    )
  }

  private func token(_ form: [String: String]) -> HTTPResponse {
    state.withLock { state in
      if !state.answers.isEmpty { return state.answers.removeFirst() }
      if let used = form["refresh_token"], used != "refresh-\(state.number)" {
        return .json(#"{"error":"invalid_grant","error_description":"used twice"}"#, 400)
      }
      state.audience = form["audience"] ?? form["resource"] ?? state.audience
      state.scope = form["scope"] ?? state.scope
      state.number += 1
      var answer: JSONObject = [
        "access_token": .string("opaque-number-\(state.number)"),
        "token_type": "Bearer", "expires_in": 3600,
        "refresh_token": .string("refresh-\(state.number)"), "scope": .string(state.scope),
        "sub": "alice",
      ]
      if namesAudience {
        answer["access_token"] = .string(
          Handoffs.token([
            "sub": "alice", "aud": .string(state.audience), "scope": .string(state.scope),
            "jti": .string("\(state.number)"),
          ])
        )
      }
      return .json(String(decoding: JSON.object(answer).serialized(), as: UTF8.self))
    }
  }

  /// The forms that the token endpoint got, oldest first.
  var forms: [[String: String]] { record.requests.filter { $0.url.path == "/token" }.map(form) }

  /// What the token that a server made so is for.
  static func claims(of token: String) -> JSONObject? {
    let parts = token.split(separator: ".")
    guard parts.count == 3 else { return nil }
    var bits = 0, count = 0
    var bytes: [UInt8] = []
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for byte in parts[1].utf8 {
      bits = bits << 6 | (alphabet.firstIndex(of: byte) ?? 0)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return (try? JSON(parsing: bytes))?.objectValue
  }
}
