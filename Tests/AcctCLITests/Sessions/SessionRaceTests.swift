import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Two processes and a backend that takes none but the newest session: one is given a new one while
/// the other is told that the old one is over.
@Suite("A session that is rolled while another process asks for it")
struct SessionRaceTests {
  private let record = RecordedWorld()
  private static let new = "Fe26.2*1*new"

  /// A backend that takes the new session alone, and what happens when it is asked.
  private func backend(
    _ meanwhile: @escaping @Sendable (_ path: String) -> Void
  ) async throws {
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

  /// What was asked, oldest first.
  private var asked: [String] {
    record.requests.map { request in
      let path = request.url.path.split(separator: "/").last ?? ""
      return request.carries(Self.new) ? "\(path) new" : "\(path) old"
    }
  }

  @Test("goes on for who was told that the old one is over, once the new one is stored")
  func storedMeanwhile() async throws {
    try await backend { [record] path in
      if path == "refresh-token" { record.keyring.put(.session, Secret(Self.new)) }
    }
    #expect(await record.acct("status", "--check") == 0)
    #expect(asked == ["session old", "refresh-token old", "session new"])
    #expect(try record.member("standing") == "signedIn")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("goes on for everybody even if it is stored after the old one was written down as over")
  func storedAfterwards() async throws {
    try await backend { _ in }
    record.serve { [record] _ throws(HTTPFailure) in
      // What `status --check` of another process has left.
      record.rewriteAccount("signedIn", "reauthRequired")
      return HTTPResponse(
        status: 200,
        fields: [("Set-Cookie", "sid=\(Self.new)")],
        body: Secret("things")
      )
    }
    #expect(await record.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(record.out == "things")
    #expect(record.sealed == Self.new)
    #expect(try record.member("standing") == "signedIn")
    record.clear()
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=\(Self.new)\n")
  }

  @Test("is used by a request that was refused with the old one, and nobody is asked about that")
  func refusedWithTheOld() async throws {
    try await backend { [record] path in
      if path == "things" { record.keyring.put(.session, Secret(Self.new)) }
    }
    #expect(await record.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(asked == ["things old", "things new"])
  }

  @Test("is over if the old one is still all there is a moment later, with no more questions")
  func over() async throws {
    try await backend { _ in }
    let before = record.now
    #expect(await record.acct("status", "--check") == 4)
    #expect(record.now - before == 1)
    #expect(asked == ["session old", "refresh-token old"])
    #expect(try record.member("standing") == "reauthRequired")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("is not taken back by one who signed in again meanwhile")
  func signedInAgain() async throws {
    try await backend { _ in }
    record.serve { [record] _ throws(HTTPFailure) in
      record.keyring.put(.session, Secret("Fe26.2*1*fresh"))
      return HTTPResponse(
        status: 200,
        fields: [("Set-Cookie", "sid=\(Self.new)")],
        body: Secret("things")
      )
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
