import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization

/// An authorization server in memory that answers as a real one was recorded.
///
/// Each path has a list of answers; the last one stays. Whatever has none is 404.
final class RecordedServer: Sendable {
  private let answers: Mutex<[String: [HTTPResponse]]>
  private let record: RecordedWorld

  init(_ record: RecordedWorld, _ answers: [String: [HTTPResponse]]) {
    self.record = record
    self.answers = Mutex(answers)
    record.serve { request throws(HTTPFailure) in self.answer(request.url.path) }
  }

  /// The next answer of a path.
  func answer(_ path: String) -> HTTPResponse {
    answers.withLock { answers in
      guard let answer = answers[path]?.first else { return .json(#"{"error":"Not Found"}"#, 404) }
      if answers[path]?.count ?? 0 > 1 { answers[path]?.removeFirst() }
      return answer
    }
  }

  /// Replaces the answers of a path.
  func set(_ path: String, _ answers: HTTPResponse...) { self.answers.withLock { $0[path] = answers } }

  /// The bodies that a path got, oldest first.
  func bodies(_ path: String) -> [String] {
    record.requests.filter { $0.url.path == path }.map { request in
      request.body?.withBytes { span in
        String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
      } ?? ""
    }
  }

  /// The fields of a name that a path got.
  func fields(_ name: String, _ path: String) -> [String] {
    record.requests.filter { $0.url.path == path }.map { request in
      request.fields.first { $0.name == name }?.value.withBytes { span in
        String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
      } ?? ""
    }
  }
}

extension RecordedServer {
  static let issuer = "https://as.example"

  /// The metadata of a server with every endpoint.
  static func metadata(_ members: JSONObject = [:]) -> HTTPResponse {
    var document: JSONObject = [
      "issuer": .string(issuer), "token_endpoint": .string("\(issuer)/token"),
      "device_authorization_endpoint": .string("\(issuer)/start"),
    ]
    for (name, value) in members { document[name] = value }
    return .json(String(decoding: JSON.object(document).serialized(), as: UTF8.self))
  }

  static let place = "/.well-known/oauth-authorization-server"
  static let openIDPlace = "/.well-known/openid-configuration"

  static let start = HTTPResponse.json(
    """
    {"device_code":"made-up-device-code","user_code":"BCDF-GHJK",
     "verification_uri":"\(issuer)/device","expires_in":600,"interval":5}
    """
  )

  /// A server with these tokens for a device sign-in.
  convenience init(_ record: RecordedWorld, metadata: JSONObject = [:], tokens: HTTPResponse...) {
    self.init(record, [Self.place: [Self.metadata(metadata)], "/start": [Self.start], "/token": tokens])
  }

  /// What a token endpoint grants.
  static func tokens(_ name: String, _ members: JSONObject = [:]) -> HTTPResponse {
    var answer: JSONObject = [
      "access_token": .string("at-\(name)-long-enough"), "token_type": "Bearer",
      "refresh_token": .string("rt-\(name)-long-enough"), "expires_in": 3600, "sub": "alice",
    ]
    for (name, value) in members { answer[name] = value == .null ? nil : value }
    return .json(String(decoding: JSON.object(answer).serialized(), as: UTF8.self))
  }
}

extension RecordedWorld {
  /// Signs in on another device.
  func addDevice(_ issuer: String = RecordedServer.issuer, _ options: String...) async -> Int32 {
    clear()
    return await run(["add", "--issuer", issuer, "--client-id", "client", "--device"] + options)
  }

  /// The first account's file.
  var accountFile: JSONObject? {
    filesText.split(separator: "\n").lazy
      .compactMap { try? JSON(parsing: Array($0.utf8)).objectValue }
      .first { $0["createdAt"] != nil }
  }
}
