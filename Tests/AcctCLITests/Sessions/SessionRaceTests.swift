import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Two processes and a backend that accepts only the newest session: one gets a new one while the
/// other is told that the old one has ended.
@Suite("A session that another process rotates at the same time")
struct SessionRaceTests {
  private let record = RecordedWorld()
  private static let new = "Fe26.2*1*new"

  /// A backend that accepts the new session alone, and runs an action at each request.
  private func backend(_ meanwhile: @escaping @Sendable (_ path: String) -> Void) async throws {
    try await record.plantSession(left: 3600)
    record.serve { [record] request throws(HTTPFailure) in
      let path = request.url.path.split(separator: "/").last.map(String.init) ?? ""
      meanwhile(path)
      guard request.carries(Self.new) else {
        return path == "session"
          ? try FakeBackend.refused("session_invalid").get() : .json(#"{"success":false}"#, 401)
      }
      return path == "session" ? try FakeBackend.valid(record).get() : .json("{}")
    }
  }

  /// The requests, oldest first.
  private var asked: [String] {
    record.requests.map { request in
      let path = request.url.path.split(separator: "/").last ?? ""
      return request.carries(Self.new) ? "\(path) new" : "\(path) old"
    }
  }

  @Test("A process told that the old session ended uses the new one once it is stored")
  func storedMeanwhile() async throws {
    try await backend { [record] path in
      if path == "refresh-token" { record.keyring.put(.session, Secret(Self.new)) }
    }
    #expect(await record.acct("status", "--check") == 0)
    #expect(asked == ["session old", "refresh-token old", "session new"])
    #expect(try record.member("standing") == "signedIn")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("A session stored after the old one was recorded as ended revives the account")
  func storedAfterwards() async throws {
    try await backend { _ in }
    record.serve { [record] _ throws(HTTPFailure) in
      // What `status --check` of another process has left.
      record.rewriteAccount("signedIn", "reauthRequired")
      return HTTPResponse(status: 200, fields: [("Set-Cookie", "sid=\(Self.new)")], body: Secret("things"))
    }
    #expect(await record.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(record.out == "things")
    #expect(record.sealed == Self.new)
    #expect(try record.member("standing") == "signedIn")
    record.clear()
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=\(Self.new)\n")
  }

  @Test("A request rejected with the old session uses the new one without a confirmation")
  func refusedWithTheOld() async throws {
    try await backend { [record] path in
      if path == "things" { record.keyring.put(.session, Secret(Self.new)) }
    }
    #expect(await record.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(asked == ["things old", "things new"])
  }

  @Test("A session has ended if it is still the only one a moment later, without more requests")
  func over() async throws {
    try await backend { _ in }
    let before = record.now
    #expect(await record.acct("status", "--check") == 4)
    #expect(record.now - before == 1)
    #expect(asked == ["session old", "refresh-token old"])
    #expect(try record.member("standing") == "reauthRequired")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("A session from a new sign-in is not replaced by an older rotation")
  func signedInAgain() async throws {
    try await backend { _ in }
    record.serve { [record] _ throws(HTTPFailure) in
      record.keyring.put(.session, Secret("Fe26.2*1*fresh"))
      return HTTPResponse(status: 200, fields: [("Set-Cookie", "sid=\(Self.new)")], body: Secret("things"))
    }
    #expect(await record.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(record.sealed == "Fe26.2*1*fresh")
  }
}

extension HTTPRequest {
  fileprivate func carries(_ session: String) -> Bool {
    fields.contains { $0.name == "Cookie" && $0.value == Secret("sid=\(session)") }
  }
}

extension RecordedWorld {
  /// Changes a word in the only account's file, as another process does.
  fileprivate func rewriteAccount(_ old: String, _ new: String) {
    guard let id = keyring.items.keys.first, let text = file(.account(id)) else { return }
    let parts = text.split(separator: "\"\(old)\"", omittingEmptySubsequences: false)
    corrupt(.account(id), with: parts.joined(separator: "\"\(new)\""))
  }
}
