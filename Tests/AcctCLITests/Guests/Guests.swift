import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON

/// A backend with guest sessions, in a recorded world.
enum Guests {
  static let backend = "https://api.example"

  /// A guest token of 15 minutes from the recorded world's beginning.
  static func token(_ name: String = "g1", exp: JSON? = 1_800_000_900) -> String {
    var claims: JSONObject = ["sub": .string(name)]
    claims["exp"] = exp
    return Handoffs.token(claims)
  }

  static func answer(_ token: String, changing changes: JSONObject = [:]) -> String {
    var answer: JSONObject = [
      "guestToken": .string(token), "expiresIn": 900,
      "limitations": ["maxEditsPerDay": 5, "featuresDisabled": ["save", "history", "premium_templates"]],
    ]
    for (name, value) in changes { answer[name] = value == .null ? nil : value }
    return String(decoding: JSON.object(answer).serialized(), as: UTF8.self)
  }

  /// A refusal in the backend's words.
  static func refusal(_ message: String) -> String {
    #"{"error":{"code":"SOME_CODE","message":"\#(message)"}}"#
  }
}

extension RecordedWorld {
  /// Answers every request with one response.
  func serve(_ status: Int, _ body: String, _ fields: [(name: String, value: String)] = []) {
    serve { _ throws(HTTPFailure) in HTTPResponse(status: status, fields: fields, body: Secret(body)) }
  }

  /// Adds a guest; its output stays in the record.
  @discardableResult
  func addGuest(_ token: String = Guests.token(), _ options: String...) async -> Int32 {
    serve(200, Guests.answer(token))
    clear()
    return await run(["add", "--guest", Guests.backend] + options)
  }

  /// A member of the account that `status` shows.
  func status(_ name: String) async -> JSON? {
    _ = await acct("status", "--json")
    return json?.objectValue?["account"]?.objectValue?[name]
  }

  /// The device ids that were sent, request by request.
  var deviceIDs: [String?] { requests.map { $0.fields.first { $0.name == "X-Device-ID" }.map { text(of: $0.value) } } }
}

/// The text of a value that a test knows anyway.
func text(of secret: Secret) -> String {
  secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
