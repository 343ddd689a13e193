import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization

/// An authorization server in memory with the resource servers that it knows, each with words of scope of its own.
///
/// A token is for one resource, and has of the requested words those that this one knows. Refresh tokens rotate.
final class ResourceScopeServer: Sendable {
  private struct State {
    var granted: [String] = []
    var number = 0
    var forms: [[String: String]] = []
    var tokens: [String: (resource: String, scope: [String])] = [:]
    var isStrict = false
    var refusal: HTTPResponse?
    var denied: Set<String> = []
  }
  private let state = Mutex(State())
  private let words: [String: [String]]
  private let needed: [String: [String]]

  /// - Parameters:
  ///   - record: The world.
  ///   - words: What each resource knows.
  ///   - needed: What a request to it needs.
  init(_ record: RecordedWorld, _ words: [String: [String]], needing needed: [String: [String]] = [:]) {
    self.words = words
    self.needed = needed
    record.serve { request throws(HTTPFailure) in self.answer(request) }
  }

  /// The forms that the token endpoint got, oldest first.
  var forms: [[String: String]] { state.withLock { $0.forms } }

  /// Refuses each word that the resource of a request does not know.
  func beStrict() { state.withLock { $0.isStrict = true } }

  /// Answers each request for a token of a resource that it does not know, or of its own second ones, so; `nil`: as ever.
  func refuse(_ answer: HTTPResponse?) { state.withLock { $0.refusal = answer } }

  /// Grants these words to no one.
  func deny(_ words: String...) { state.withLock { $0.denied = Set(words) } }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.url.origin.host == "as.example" else { return resource(request) }
    let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
    switch request.url.path {
    case RecordedServer.place:
      return RecordedServer.metadata(["authorization_endpoint": "https://as.example/authorize"])
    case "/start":
      state.withLock { $0.granted = (form["scope"] ?? "").split(separator: " ").map(String.init) }
      return RecordedServer.start
    case "/token": return token(form)
    default: return .json("{}", 404)
    }
  }

  private func token(_ form: [String: String]) -> HTTPResponse {
    state.withLock { state in
      state.forms.append(form)
      let resource = form["resource"] ?? form["audience"] ?? ""
      let isSecond = form["grant_type"] == "refresh_token" && resource != state.tokens["at-1-long-enough"]?.resource
      if isSecond, let refusal = state.refusal { return refusal }
      if let used = form["refresh_token"], used != "rt-\(state.number)" {
        return .json(#"{"error":"invalid_grant","error_description":"used twice"}"#, 400)
      }
      let known = words[resource] ?? []
      let asked = form["scope"].map { $0.split(separator: " ").map(String.init) } ?? state.granted
      if state.isStrict, isSecond, form["scope"] != nil, let word = asked.first(where: { !known.contains($0) }) {
        return .json(#"{"error":"invalid_scope","error_description":"\#(word) is not a scope of \#(resource)"}"#, 400)
      }
      let scope = asked.filter { known.contains($0) && !state.denied.contains($0) }
      state.number += 1
      let name = "at-\(state.number)-long-enough"
      state.tokens[name] = (resource, scope)
      return RecordedServer.tokens(
        "x",
        [
          "access_token": .string(name), "refresh_token": .string("rt-\(state.number)"),
          "scope": scope.isEmpty ? .null : .string(scope.joined(separator: " ")),
        ]
      )
    }
  }

  /// Takes the scope from an authorization request.
  func grant(_ scope: String) { state.withLock { $0.granted = scope.split(separator: " ").map(String.init) } }

  private func resource(_ request: HTTPRequest) -> HTTPResponse {
    let place = words.keys.first { request.url.description.hasPrefix($0) } ?? ""
    let field = request.fields.first { $0.name == "Authorization" }.map { RowServer.text($0.value) } ?? ""
    let token = state.withLock { $0.tokens[String(field.dropFirst("Bearer ".count))] }
    guard let token, token.resource == place else { return .json("{}", 401) }
    let missing = (needed[place] ?? words[place] ?? []).filter { !token.scope.contains($0) }
    guard missing.isEmpty else {
      let scope = (needed[place] ?? []).joined(separator: " ")
      return .json(
        #"{"error":"insufficient_scope"}"#,
        403,
        ("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="\#(scope)""#)
      )
    }
    return .json(#"{"scope":"\#(token.scope.joined(separator: " "))"}"#)
  }
}
