import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A session that comes with the answer to a request of the user's own about the session.
@Suite("The owner of a rotated session")
struct SessionOwnerTests {
  private let record = RecordedWorld()

  private func request(_ path: String, answered body: String) async throws -> Int32 {
    try await record.plantSession(left: 3600)
    record.serve { _ throws(HTTPFailure) in
      var answer = HTTPResponse.json(body)
      answer.fields.append(("Set-Cookie", "sid=Fe26.2*1*new"))
      return answer
    }
    record.clear()
    return await record.acct("request", "\(FakeBackend.origin)\(path)")
  }

  static let foreign = [
    ("/api/auth/session", #"{"valid":true,"did":"did:plc:mallory","handle":"alice.example.com"}"#),
    ("/api/auth/session", #"{"valid":true,"handle":"mallory.example.com"}"#),
    ("/api/auth/session", #"{"valid":true,"userHandle":"mallory.example.com"}"#),
    ("/api/auth/session", #"{"valid":true,"sub":"did:plc:mallory"}"#),
    ("/mobile/refresh-token", #"{"success":true,"payload":{"did":"did:plc:mallory"}}"#),
  ]

  @Test("A rotated session of another identity is rejected, and the old one is kept", arguments: foreign)
  func somebodyElse(path: String, body: String) async throws {
    #expect(try await request(path, answered: body) == 11)
    // The user gets the answer all the same.
    #expect(record.out == body)
    #expect(record.err.first?.contains("mallory") == true)
    #expect(record.err.last == "acct: hint: nothing was changed")
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("A rotated session whose answer has an invalid owner is rejected")
  func unreadable() async throws {
    let two = #"{"valid":true,"did":"did:plc:alice","sub":"did:plc:mallory"}"#
    for body in [#"{"valid":true,"did":"alice"}"#, #"{"valid":true,"handle":7}"#, two] {
      #expect(try await request("/api/auth/session", answered: body) == 11)
      #expect(record.sealed == "Fe26.2*1*old")
    }
  }

  static let own = [
    ("/api/auth/session", #"{"valid":true,"did":"did:plc:alice","handle":"new.example.com"}"#),
    ("/api/auth/session", #"{"valid":true,"sub":"user-17"}"#),
    ("/api/auth/session", #"{"valid":true}"#),
    ("/api/auth/session", "not JSON"),
    // Other answers may be about any identity.
    ("/api/profile", #"{"did":"did:plc:mallory","handle":"mallory.example.com"}"#),
  ]

  @Test("A rotated session is the account's if the answer names no other identity", arguments: own)
  func ownOrUnnamed(path: String, body: String) async throws {
    #expect(try await request(path, answered: body) == 0)
    #expect(record.out == body)
    #expect(record.sealed == "Fe26.2*1*new")
  }
}
