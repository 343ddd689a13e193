import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// A backend-for-frontend in memory: its answers, and its requests with their times.
final class FakeBackend: Sendable {
  static let origin = "https://backend.example"
  typealias Answer = Result<HTTPResponse, HTTPFailure>

  private struct State {
    var answers: [String: [Answer]]
    var asked: [(path: String, at: Int64)] = []
  }
  private let state: Mutex<State>
  private let record: RecordedWorld

  /// - Parameters:
  ///   - record: The world that asks it.
  ///   - answers: By path; the last one of a path is given again and again.
  init(_ record: RecordedWorld, _ answers: [String: [Answer]]) {
    self.record = record
    state = Mutex(State(answers: answers))
    record.serve { request throws(HTTPFailure) in try self.respond(request) }
  }

  /// The requests, oldest first: `session` or `refresh-token`.
  var asked: [String] { state.withLock { $0.asked.map(\.path) } }
  /// When, in seconds after the first time.
  var times: [Int64] { state.withLock { state in state.asked.map { $0.at - (state.asked.first?.at ?? 0) } } }

  private func respond(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    #expect(request.url.origin.description == Self.origin)
    let path = request.url.path.split(separator: "/").last.map(String.init) ?? ""
    let now = record.now
    return try state.withLock { state -> Answer in
      state.asked.append((path, now))
      var queue = state.answers[path] ?? []
      let answer = queue.count > 1 ? queue.removeFirst() : queue.first
      state.answers[path] = queue
      return answer ?? .success(.json("{}", 404))
    }.get()
  }

  /// A confirmation, with so many seconds left, and a rotated session if one is named.
  static func valid(
    _ record: RecordedWorld,
    left: Int64? = 86_400,
    rotated: String? = nil,
    changing changes: [String: JSON] = [:]
  ) -> Answer {
    var members: JSONObject = [
      "valid": true, "did": "did:plc:alice", "handle": "alice.example.com",
      "userHandle": "alice.example.com", "accessToken": "ignored", "refreshToken": "ignored",
      "expiresAt": left.map { .number(JSONNumber((record.now + $0) * 1000)) } ?? .null,
    ]
    for (name, value) in changes { members[name] = value }
    let text = String(decoding: JSON.object(members).serialized(), as: UTF8.self)
    var answer = HTTPResponse.json(text)
    if let rotated { answer.fields.append(("Set-Cookie", "sid=\(rotated); HttpOnly; Path=/")) }
    return .success(answer)
  }

  static func refused(_ reason: String?) -> Answer {
    let reason = reason.map { #","reason":"\#($0)""# } ?? ""
    return .success(.json(#"{"valid":false,"error":"Session invalid or expired"\#(reason)}"#, 401))
  }

  static func extended(_ sealed: String, did: String = "did:plc:alice") -> Answer {
    .success(.json(#"{"success":true,"payload":{"did":"\#(did)","sid":"\#(sealed)"}}"#))
  }

  static let couldNot = Answer.success(.json(#"{"success":false,"error":"Token refresh failed"}"#, 500))
}

extension RecordedWorld {
  /// Puts a sealed session into this world, as a sign-in left it, with so many seconds to go.
  func plantSession(left: Int64?) async throws {
    let id = try AccountID("6f1c9a52-3b0e-4c57-9d6a-1f2e3d4c5b6a")
    let file: JSON = [
      "version": 1, "id": .string(id.description), "name": "alice", "kind": "session",
      "tokenType": "session", "subject": "did:plc:alice", "handle": "alice.example.com",
      "did": "did:plc:alice", "service": .string(FakeBackend.origin),
      "origins": [.string(FakeBackend.origin)],
      "expiresAt": .init(left.map { Timestamp(clamped: now + $0).description }),
      "canRenew": true, "standing": "signedIn", "createdAt": "2026-01-01T00:00:00Z",
    ]
    corrupt(.account(id), with: String(decoding: file.serialized(), as: UTF8.self))
    corrupt(.active, with: "\(id)\n\n")
    corrupt(.keyringDecision, with: "secret-service\n")
    try await keyring.keyring().write(id, [.init(.session, Secret("Fe26.2*1*old"))], .forbidden)
  }

  /// Leaves what a process leaves that dies when new credentials are the account's, and lie whole in
  /// a place of their own.
  func interruptReplacement(by session: String) async throws {
    let place = try AccountID("0b7d3c1e-5a2f-4e6b-8c9d-7f1a2b3c4d5e")
    guard let id = keyring.items.keys.first, let text = file(.account(id)),
      var members = try JSON(parsing: Array(text.utf8)).objectValue
    else { return }
    members["incoming"] = ["place": .string(place.description), "isWhole": true]
    corrupt(.account(id), with: String(decoding: JSON.object(members).serialized(), as: UTF8.self))
    try await keyring.keyring().write(place, [.init(.session, Secret(session))], .forbidden)
  }

  /// The sealed session in the keyring.
  var sealed: String? {
    keyring.items.values.first?[.session]?.withBytes { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    }
  }

  /// A member of the only account's file.
  func member(_ name: String) throws -> JSON? {
    for line in filesText.split(separator: "\n") {
      let file = try? JSON(parsing: Array(line.utf8)).objectValue
      if let file, file["kind"] != nil { return file[name] }
    }
    return nil
  }
}
